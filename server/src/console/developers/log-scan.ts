/**
 * Scans the request log backwards. A row of the log is a batch of entries, whose id is its newest entry's; batches
 * written by several processes overlap. The scan merges them and yields entries by descending id.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { console_limits } from '../limits.ts'
import type { LoggedRequest } from '../shapes.ts'

const batchesBefore = query((db, p: Placeholder<{ realm: number; before: string }>) =>
  db
    .selectFrom('request_logs')
    .select(['id', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '<', p('before'))
    .orderBy('id', 'desc')
    .limit(literal(console_limits.console_log_batches)),
)

/** Batches that end at or after the start position may contain entries before it. */
const batchesAround = query((db, p: Placeholder<{ realm: number; from: string; to: string }>) =>
  db
    .selectFrom('request_logs')
    .select(['id', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('from'))
    .where('id', '<=', p('to'))
    .orderBy('id', 'desc'),
)

export interface ScanRange {
  readonly realm: number
  /** Yields entries with smaller ids only. */
  readonly before: string
  /** The largest id of a batch that can contain entries before `before`. */
  readonly around: string
}

/** A position after every batch: the start of a full scan. */
export const log_end: Pick<ScanRange, 'before' | 'around'> = { before: 'req_~', around: 'req_~' }

/** Yields entries by descending id, and yields to the event loop between batches. */
export async function* scanLog(reader: Reader, { realm, before, around }: ScanRange): AsyncGenerator<LoggedRequest> {
  let pending: LoggedRequest[] = []
  const overlapping = before === around ? [] : await reader.all(batchesAround, { realm, from: before, to: around })
  for (const batch of overlapping) pending.push(...entriesOf(batch.entry).filter(({ id }) => id < before))
  for (let from = before; ; ) {
    const batches = await reader.all(batchesBefore, { realm, before: from })
    for (const batch of batches) {
      // This batch and the following ones contain no entry newer than `batch.id`, so newer pending entries are final.
      const [newer, rest] = splitAt(pending, batch.id)
      yield* newer
      pending = [...rest, ...entriesOf(batch.entry)]
      await yieldToEventLoop()
    }
    if (batches.length < console_limits.console_log_batches) break
    from = batches.at(-1)?.id ?? ''
  }
  yield* pending.sort(newestFirst)
}

function splitAt(entries: readonly LoggedRequest[], id: string): [LoggedRequest[], LoggedRequest[]] {
  const newer = entries.filter((entry) => entry.id > id)
  return [newer.sort(newestFirst), entries.filter((entry) => entry.id <= id)]
}

const newestFirst = (a: LoggedRequest, b: LoggedRequest): number => (a.id < b.id ? 1 : -1)

/** Parses a batch: one entry per line, each prefixed with its time. */
function entriesOf(text: string): LoggedRequest[] {
  return text.split('\n').map((line) => JSON.parse(line.slice(line.indexOf('{'))) as LoggedRequest)
}
