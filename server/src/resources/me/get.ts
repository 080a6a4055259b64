import Type from 'typebox'
import { readOperation } from '../../api/operation.ts'
import { scopes } from '../../api/scopes.ts'
import { Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

const text = Type.String({ minLength: 1 })
const Credits = Nullable(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max }))

/** Says who the credential is and what it may do; needs no scope, so that any credential can ask (contract §2.2). */
export const retrieveMe = readOperation({
  id: 'me.retrieve',
  method: 'GET',
  path: '/v1/me',
  summary: 'Retrieve the identity of the credential',
  scope: null,
  credits: 1,
  lenient: true,
  returns: Type.Object({
    id: Type.String({ pattern: '^[a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}$' }),
    object: Type.Literal('api_identity'),
    created: Seconds,
    organization: Type.Object({ id: text, object: Type.Literal('organization') }),
    owner: Type.Object({ type: OneOf('organization', 'user', 'application'), id: text }),
    scopes: Type.Array(OneOf(...scopes)),
    plan: OneOf('studio', 'enterprise'),
    mode: OneOf('live', 'test'),
    api_version: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    limits: Type.Object({ credits_per_minute: Credits, credits_per_day: Credits }),
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
