import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { Nullable, OneOf, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { millis } from '../../lib/clock.ts'
import { ApiKeyWithSecret, showApiKey } from './api_key.ts'
import { apiKeyCreated } from './events.ts'
import { issueCredential } from './issue.ts'
import { requireRoomForKey } from './queries.ts'

/** Creates a key that acts for the organization. It can have only scopes of its creator. Its secret is shown once. */
export const createApiKey = writeOperation({
  id: 'api_keys.create',
  method: 'POST',
  path: '/v1/api_keys',
  summary: 'Create an API key',
  description:
    'The answer is the only one that holds the secret. A lost answer is found again with its Idempotency-Key.',
  scope: 'api:manage',
  credits: 10,
  body: {
    name: Title,
    scopes: Type.Array(OneOf(...scopes), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
    }),
    expires_at: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: limits.moment_seconds_max }))),
  },
  returns: ApiKeyWithSecret,
  emits: [apiKeyCreated],
  sealed: true,
  example: { body: { name: 'Reporting', scopes: ['tasks:read'] } },
  async handle({ body, caller, tx, now, sealer, emit }) {
    const expiresAt = body.expires_at == null ? null : millis(body.expires_at)
    if (expiresAt !== null && expiresAt <= now) {
      throw refuse('invalid_request_body', { param: 'expires_at', message: 'expires_at must be in the future.' })
    }
    const lacking = body.scopes.find((scope) => !caller.scopes.has(scope))
    if (lacking !== undefined) {
      throw refuse('insufficient_scope', {
        param: 'scopes',
        message: `A key cannot be given the scope ${lacking}, which its creator does not have.`,
      })
    }
    await requireRoomForKey(tx, caller.organization, now)
    const { organization, realm, mode } = caller
    const owner = { type: 'organization', id: organization } as const
    const issue = { kind: 'api_key', organization, realm, mode, name: body.name, scopes: body.scopes, owner } as const
    const { row, secret } = issueCredential(tx, sealer, { ...issue, expiresAt }, now)
    const key = showApiKey(row, now)
    emit(apiKeyCreated, key)
    return { ...key, secret }
  },
})
