import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { ApiKey, apiKeyNoun, showApiKey } from './api_key.ts'
import { apiKeyUpdated } from './events.ts'

/** Renames a key. Its scopes, owner and expiry never change. */
export const updateApiKey = writeOperation({
  id: 'api_keys.update',
  method: 'PATCH',
  path: '/v1/api_keys/{id}',
  summary: 'Update an API key',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  target: apiKeyNoun,
  body: { name: Type.Optional(Title) },
  returns: ApiKey,
  emits: [apiKeyUpdated],
  example: { params: { id: '{api_key}' }, body: { name: 'Nightly reports' } },
  handle({ target, body, tx, now, emit }) {
    const changed = applyChange(tx, 'credentials', target, body, now)
    if (changed !== null) emit(apiKeyUpdated, showApiKey(changed, now), showApiKey(target, now))
    return showApiKey(changed ?? target, now)
  },
})
