/** The tokens with which identity providers manage the people of an organization. Only owners see and make them. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { named } from '../../api/declare/shapes.ts'
import type { ScimTokenRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import type { ScimToken } from '../shapes.ts'
import { deleteScimToken, listScimTokens } from './queries.ts'
import { newScimSecret } from './secret.ts'

function showToken({ id, name, hint, created, created_by, last_used_at }: ScimTokenRow): ScimToken {
  const used = last_used_at === null ? null : seconds(last_used_at)
  return { id, name, hint, created: seconds(created), created_by, last_used_at: used }
}

/** Lists the organization's tokens, the newest first. */
export const listTokensOfScim = endpoint('GET scim-tokens', {
  needs: 'session',
  role: 'owner',
  async handle({ services, session: { organization } }) {
    const rows = await services.store.reader('system').all(listScimTokens, { organization })
    return { data: rows.map(showToken) }
  },
})

/** Makes a token. Only this answer has its secret. */
export const createTokenOfScim = endpoint('POST scim-tokens', {
  needs: 'step_up',
  role: 'owner',
  body: body({ name: named(Type.String({ minLength: 1, maxLength: console_limits.scim_token_name_chars_max })) }),
  async handle(context) {
    const { services, session, body: sent } = context
    const { organization, user } = session
    const { secret, hint } = newScimSecret()
    const change = { action: 'scim_tokens.create', everywhere: true } as const
    const row = await commitAsUser(context, change, async ({ tx, now, note }) => {
      const most = console_limits.scim_tokens_max
      if ((await tx.all(listScimTokens, { organization })).length >= most)
        throw refuse('resource_conflict', {
          message: `The organization has ${most} tokens for provisioning. Revoke one first.`,
        })
      const made: ScimTokenRow = {
        ...{ id: newId('scim', now), organization, name: sent.name, digest: services.sealer.digest(secret), hint },
        ...{ created: now, created_by: user, last_used_at: null },
      }
      tx.insert('scim_tokens', made)
      note({ target: { object: 'scim_token', id: made.id } })
      return made
    })
    return { ...showToken(row), secret }
  },
})

/** Revokes a token: its next request is refused. The people that it made stay. */
export const revokeTokenOfScim = endpoint('DELETE scim-tokens/{id}', {
  needs: 'step_up',
  role: 'owner',
  async handle(context) {
    const { session, params } = context
    const { id = '' } = params
    const change = { action: 'scim_tokens.delete', everywhere: true } as const
    return await commitAsUser(context, change, async ({ tx, note }) => {
      if ((await tx.run(deleteScimToken, { organization: session.organization, id })) === 0)
        throw refuse('resource_not_found', { param: 'id' })
      note({ target: { object: 'scim_token', id } })
      return { id, object: 'scim_token', deleted: true as const }
    })
  },
})
