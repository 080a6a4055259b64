import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { apiKeyNoun, showApiKey } from './api_key.ts'

/** Lists the API keys of the credential's mode, expired ones included, newest first, without secrets. */
export const listApiKeys = listOperation({
  id: 'api_keys.list',
  method: 'GET',
  path: '/v1/api_keys',
  summary: 'List API keys',
  scope: 'api:manage',
  credits: 10,
  paging: 'id',
  lists: apiKeyNoun,
  handle: (context) =>
    listById<'credentials'>(context, apiKeyNoun, {
      where: { kind: 'api_key' },
      show: (row) => showApiKey(row, context.now),
    }),
})
