import Type from 'typebox'
import { readOperation } from '../../api/declare/operation.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { described, Nullable, OneOf, Owner, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { seconds } from '../../lib/clock.ts'

const text = Type.String({ minLength: 1 })
const Credits = Nullable(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max }))

/** Returns the owner, scopes and limits of the credential. Needs no scope. */
export const retrieveMe = readOperation({
  id: 'me.retrieve',
  method: 'GET',
  path: '/v1/me',
  summary: 'Retrieve the identity of the credential',
  scope: null,
  credits: 1,
  lenient: true,
  returns: Type.Object({
    id: described(
      Type.String({ pattern: '^[a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}$' }),
      'Id of the credential: `key_…` or `at_…`.',
    ),
    object: described(Type.Literal('api_identity'), 'Kind of object: always `api_identity`.'),
    created: described(Seconds, 'When the credential was created, in Unix seconds.'),
    organization: described(
      Type.Object({
        id: described(text, 'Id of the organization.'),
        object: described(Type.Literal('organization'), 'Kind of object: always `organization`.'),
      }),
      'Organization that the credential belongs to.',
    ),
    owner: described(Owner, 'For whom the credential acts: its organization, a user or an application.'),
    scopes: described(Type.Array(OneOf(...scopes)), 'Scopes of the credential; each operation names the one it needs.'),
    plan: described(OneOf('studio', 'enterprise'), 'Plan of the organization; it decides the default credits.'),
    mode: described(OneOf('live', 'test'), 'Data set that the credential reads and writes: live or test.'),
    api_version: described(
      Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
      'Version used when a request sends no `Service-Version`.',
    ),
    limits: described(
      Type.Object({
        credits_per_minute: described(Credits, 'Credits per UTC minute; null means unlimited.'),
        credits_per_day: described(Credits, 'Credits per UTC day; null means unlimited.'),
      }),
      'Credits of the credential; null means unlimited.',
    ),
  }),
  handle({ caller, services }) {
    const { minute, day } = services.credits.limitsOf(caller)
    return {
      id: caller.credential,
      object: 'api_identity',
      created: seconds(caller.createdAt),
      organization: { id: caller.organization, object: 'organization' },
      owner: caller.owner,
      scopes: [...caller.scopes],
      plan: caller.plan,
      mode: caller.mode,
      api_version: caller.apiVersion,
      limits: { credits_per_minute: minute, credits_per_day: day },
    }
  },
})
