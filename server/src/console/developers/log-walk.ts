/**
 * Walking the request log backwards: the contract finds one request by its id, the console lists them. Entries lie in
 * batches that overlap in time where several processes write; they come out in the order of their ids, the newest first.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { literal, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import type { LoggedRequest } from '../shapes-developers.ts'

const batchesBefore = query((db, p) =>
  db
    .selectFrom('request_logs')
    .select(['id', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '<', p('before'))
    .orderBy('id', 'desc')
    .limit(literal(limits.console_log_batches)),
)

/** Batches that end behind a place may hold entries before it. */
const batchesAround = query((db, p) =>
  db
    .selectFrom('request_logs')
    .select(['id', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('from'))
    .where('id', '<=', p('to'))
    .orderBy('id', 'desc'),
)

export interface Walk {
  readonly realm: number
  /** Entries with smaller ids only. */
  readonly before: string
  /** The largest id that a batch with entries before `before` can have. */
  readonly around: string
}

/** The ids that no batch ends behind. */
export const log_end: Pick<Walk, 'before' | 'around'> = { before: 'req_~', around: 'req_~' }

/** Entries by falling id. Between batches others are served. */
export async function* walkLog(reader: Reader, { realm, before, around }: Walk): AsyncGenerator<LoggedRequest> {
  let waiting: LoggedRequest[] = []
  const open = before === around ? [] : await reader.all(batchesAround, { realm, from: before, to: around })
  for (const batch of open) waiting.push(...entriesOf(batch.entry).filter(({ id }) => id < before))
  for (let from = before; ; ) {
    const batches = await reader.all(batchesBefore, { realm, before: from })
    for (const batch of batches) {
      // What lies in this batch and those before it is not newer than its last entry.
      const [newer, rest] = parted(waiting, batch.id)
      yield* newer
      waiting = [...rest, ...entriesOf(batch.entry)]
      await turn()
    }
    if (batches.length < limits.console_log_batches) break
    from = batches.at(-1)?.id ?? ''
  }
  yield* waiting.sort(newestFirst)
}

function parted(entries: readonly LoggedRequest[], id: string): [LoggedRequest[], LoggedRequest[]] {
  const newer = entries.filter((entry) => entry.id > id)
  return [newer.sort(newestFirst), entries.filter((entry) => entry.id <= id)]
}

const newestFirst = (a: LoggedRequest, b: LoggedRequest): number => (a.id < b.id ? 1 : -1)

/** The entries of a batch; each line begins with its time. */
function entriesOf(text: string): LoggedRequest[] {
  return text.split('\n').map((line) => JSON.parse(line.slice(line.indexOf('{'))) as LoggedRequest)
}
