import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { described } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { applyChange } from '../../api/write/change.ts'
import type { CredentialRow } from '../../db/schema.ts'
import { millis } from '../../lib/clock.ts'
import { ApiKeyWithSecret, apiKeyNoun, showApiKey } from './api_key.ts'
import { apiKeyRolled } from './events.ts'
import { newSecret } from './issue.ts'

/**
 * Gives a key a new secret, shown once. The secret before it stays valid for `expires_in` seconds; an even older one stops
 * at once. Id, scopes, owner and expiry of the key stay.
 */
export const rollApiKey = writeOperation({
  id: 'api_keys.roll',
  method: 'POST',
  path: '/v1/api_keys/{id}/roll',
  summary: 'Roll an API key',
  description:
    'The caller needs every scope of the key. The answer is the only one that holds the new secret. A lost answer is ' +
    'found again with its Idempotency-Key.',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  target: apiKeyNoun,
  body: {
    expires_in: described(
      Type.Optional(Type.Integer({ minimum: 0, maximum: limits.rolled_secret_seconds_max })),
      'Seconds for which the previous secret stays valid, 0 to 604,800; 86,400 by default.',
    ),
  },
  returns: ApiKeyWithSecret,
  emits: [apiKeyRolled],
  sealed: true,
  example: { params: { id: '{api_key}' }, body: { expires_in: 3600 } },
  handle({ target, body, caller, tx, now, sealer, emit }) {
    requireRights(caller, target)
    if (target.expires_at !== null && now >= target.expires_at) {
      throw refuse('resource_conflict', { message: 'The key has expired. Create a new one.' })
    }
    const { secret, ...fields } = newSecret(sealer, 'api_key', caller.mode)
    const expires_in = body.expires_in ?? limits.rolled_secret_seconds_default
    const previous =
      expires_in === 0
        ? { previous_digest: null, previous_expires_at: null }
        : { previous_digest: target.digest, previous_expires_at: now + millis(expires_in) }
    const changed = applyChange(tx, 'credentials', target, { ...fields, ...previous }, now) as CredentialRow
    const key = showApiKey(changed, now)
    emit(apiKeyRolled, key, showApiKey(target, now))
    return { ...key, secret }
  },
  afterCommit: ({ credentials }) => credentials.forget(),
})

/** A new secret gives its holder what the key may do and the name that it acts in (contract/07#rolled-keys). */
function requireRights(caller: Caller, target: CredentialRow): void {
  const lacking = (JSON.parse(target.scopes) as Scope[]).find((scope) => !caller.scopes.has(scope))
  if (lacking !== undefined) {
    const message = `The key has the scope ${lacking}, which the credential that rolls it does not have.`
    throw refuse('insufficient_scope', { message })
  }
  const { owner_type, owner_id } = target
  if (owner_type === 'organization' || (owner_type === caller.owner.type && owner_id === caller.owner.id)) return
  throw refuse('insufficient_scope', {
    message: `Only credentials of ${owner_id} can roll a key that acts as ${owner_id}.`,
  })
}
