/**
 * Scans the request log backwards. A row of the log is a batch of entries, whose id is its newest entry's; batches
 * written by several processes overlap. The scan merges them and yields entries by descending id.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { smallestId } from '../../lib/ids.ts'
import type { Mode, Owner } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import { limits } from '../limits.ts'
import { idPosition } from './log-batches.ts'

/** An entry of the request log. */
export interface LoggedRequest {
  readonly id: string
  readonly object: 'request_log'
  /** Unix seconds. */
  readonly created: number
  readonly method: string
  /** Null if the request met no operation. */
  readonly route: string | null
  readonly path: string
  readonly query_parameters: readonly string[]
  readonly operation: string | null
  readonly status: number
  readonly error_code: string | null
  readonly error_param: string | null
  readonly credential: string
  readonly owner: Owner
  readonly mode: Mode
  readonly api_version: string
  readonly cost: number
  readonly charged: number
  readonly duration_ms: number
  readonly dry_run: boolean
  readonly idempotency_replayed: boolean
  readonly original_request: string | null
  readonly ip: string
  readonly user_agent: string | null
  readonly request_bytes: number
  readonly response_bytes: number
  readonly events: readonly string[]
  readonly expires_at: number
}

const batchesBefore = query((db, p: Placeholder<{ realm: number; before: string }>) =>
  db
    .selectFrom('request_logs')
    .select(['id', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '<', p('before'))
    .orderBy('id', 'desc')
    .limit(literal(limits.request_log_scan_batches)),
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

/** The start of a scan of the entries below the request that a cursor names. Refuses another text as `cursor_invalid`. */
export function scanAfter(cursor: string, param: string): Pick<ScanRange, 'before' | 'around'> {
  const position = idPosition(cursor)
  if (position === null) throw refuse('cursor_invalid', { param })
  return { before: cursor, around: position.last }
}

/** The start of a scan of the entries from before a time in milliseconds. */
export function scanBefore(time: number): Pick<ScanRange, 'before' | 'around'> {
  return scanAfter(smallestId('req', time), '')
}

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
    if (batches.length < limits.request_log_scan_batches) break
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
