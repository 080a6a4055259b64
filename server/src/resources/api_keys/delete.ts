import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { apiKeyNoun, showApiKey } from './api_key.ts'
import { apiKeyDeleted } from './events.ts'
import { eraseKey } from './queries.ts'

/** Revokes a key at once and permanently, also the calling one. Its id then answers 404. */
export const deleteApiKey = writeOperation({
  id: 'api_keys.delete',
  method: 'DELETE',
  path: '/v1/api_keys/{id}',
  summary: 'Revoke and delete an API key',
  scope: 'api:manage',
  credits: 10,
  target: apiKeyNoun,
  returns: Deleted('api_key'),
  emits: [apiKeyDeleted],
  example: { params: { id: '{api_key}' } },
  handle({ target, tx, now, emit }) {
    eraseKey(tx, target, now)
    emit(apiKeyDeleted, showApiKey(target, now))
    return { id: target.id, object: 'api_key', deleted: true }
  },
  afterCommit: ({ credentials }) => credentials.forget(),
})
