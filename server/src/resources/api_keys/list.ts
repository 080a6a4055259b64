import { listOperation } from '../../api/declare/operation.ts'
import { lastUses } from '../../api/request/credential-uses.ts'
import { listById } from '../../api/request/page.ts'
import { seconds } from '../../lib/clock.ts'
import { type ApiKey, apiKeyNoun, showApiKey } from './api_key.ts'

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
  async handle(context) {
    const { reader, caller, now } = context
    const page = await listById<'credentials'>(context, apiKeyNoun, {
      where: { kind: 'api_key' },
      show: (row) => showApiKey(row, now),
    })
    const keys = page.data as readonly ApiKey[]
    const ids = keys.map(({ id }) => id)
    const uses = await lastUses(reader, caller.realm, ids)
    const data = keys.map((key) => {
      const used = uses.get(key.id)
      return used === undefined ? key : { ...key, last_used_at: seconds(used) }
    })
    return { ...page, data }
  },
})
