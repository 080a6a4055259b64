import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { readOperation } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import type { RequestLogEntry } from '../../api/request-log/request-log.ts'
import type { Services } from '../../api/services.ts'
import { idPattern, idTime } from '../../lib/ids.ts'
import { RequestLog } from './request_log.ts'

/** Shows the log entry of a request, available from its answer for seven days; then 410. */
export const retrieveRequestLog = readOperation({
  id: 'request_logs.retrieve',
  method: 'GET',
  path: '/v1/request_logs/{id}',
  summary: 'Retrieve the log of a request',
  scope: 'api:read',
  credits: 1,
  returns: RequestLog,
  example: { params: { id: '{request}' } },
  async handle({ params, caller, now, services }) {
    const found = await find(services, caller, params.id as string, now)
    if (found === undefined) throw refuse('resource_not_found', { message: 'No such request_log.' })
    if (now - found.created >= limits.request_log_retention_ms) {
      throw refuse('resource_deleted', { message: 'This request_log is over seven days old.' })
    }
    return JSON.parse(found.entry) as object
  },
})

const request_id = new RegExp(idPattern('req'))

/**
 * Another process may write an entry a moment after its answer, so a young id is looked up again for a while. A foreign id
 * and an unknown one take equally long.
 */
async function find(
  { requestLog, store }: Services,
  caller: Caller,
  id: string,
  now: number,
): Promise<RequestLogEntry | undefined> {
  let found = await requestLog.find(caller, id)
  if (found !== undefined || store.dialect === 'sqlite' || !isFresh(id, now)) return found
  for (let waited = 0; found === undefined && waited < limits.request_log_wait_ms; ) {
    await sleep(limits.request_log_pause_ms)
    waited += limits.request_log_pause_ms
    found = await requestLog.find(caller, id)
  }
  return found
}

function isFresh(id: string, now: number): boolean {
  return request_id.test(id) && Math.abs(now - idTime(id)) < limits.request_log_fresh_ms
}
