/**
 * The request log (contract/09#request-log): requests and their outcomes, kept for seven days. Entries are written in
 * batches, one row per realm and batch, because a row per request costs more than a read. Until then they are read from
 * memory, so `GET /v1/request_logs/{id}` finds a request right after its answer.
 */
import { type Placeholder, query } from '../../db/query.ts'
import { type Store, StoreUnavailable } from '../../db/store.ts'
import type { Caller } from '../declare/caller.ts'
import { limits } from '../limits.ts'
import { findInBatch, idPosition, LogBatch, type RequestLogEntry } from './log-batches.ts'

export type { RequestLogEntry } from './log-batches.ts'

/** The few batches that may hold an id: a batch spans little time. */
const findBatches = query((db, p: Placeholder<{ realm: number; id: string; last: string; time: number }>) =>
  db
    .selectFrom('request_logs')
    .select(['realm', 'id', 'created', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('id'))
    .where('id', '<=', p('last'))
    .where('created', '<=', p('time')),
)

/** An upsert: after a commit without an answer the same batches are written again. */
const insertBatch = query((db, p: Placeholder<{ realm: number; id: string; created: number; entry: string }>) =>
  db
    .insertInto('request_logs')
    .values({ realm: p('realm'), id: p('id'), created: p('created'), entry: p('entry') })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'id']).doUpdateSet({ entry: (row) => row.ref('excluded.entry') }),
    ),
)

export class RequestLog {
  private readonly store: Store
  private readonly open = new Map<number, LogBatch>()
  /** Full batches that wait to be written, oldest first. */
  private closed: LogBatch[] = []
  private writing: readonly LogBatch[] = []
  /** Written batches whose buffers can be reused. */
  private readonly spare: LogBatch[] = []
  /** Number of entries that are not written yet. */
  private waiting = 0
  private flushing: Promise<void> | null = null
  private readonly timer: NodeJS.Timeout
  /** Entries lost because the store could not take them. */
  lost = 0

  constructor(store: Store) {
    this.store = store
    this.timer = setInterval(() => {
      if (this.flushing === null) void this.flush()
    }, limits.request_log_flush_ms)
    this.timer.unref()
  }

  /** Adds an entry. When the store accepts none for long, the oldest entries are dropped. */
  add(entry: RequestLogEntry): void {
    const { realm } = entry
    const batch = this.open.get(realm)
    this.waiting++
    if (batch?.add(entry) === true) return
    const next = this.spare.pop() ?? new LogBatch()
    next.begin(entry)
    this.open.set(realm, next)
    if (batch !== undefined) this.closed.push(batch)
    this.dropOldest()
    // Only when the mark is reached: after a failure the timer retries.
    if (batch !== undefined && this.closed.length === limits.request_log_flush_batches) void this.flush()
  }

  private dropOldest(): void {
    while (this.waiting > limits.request_log_waiting_max) {
      if (this.closed.length === 0) this.closeAll()
      const dropped = this.closed.shift()
      if (dropped === undefined) return
      this.waiting -= dropped.count
      this.lost += dropped.count
    }
  }

  private closeAll(): void {
    for (const batch of this.open.values()) this.closed.push(batch)
    this.open.clear()
  }

  /** The entry of a request in the caller's realm. */
  async find(caller: Pick<Caller, 'realm' | 'storeScope'>, id: string): Promise<RequestLogEntry | undefined> {
    const position = idPosition(id)
    if (position === null) return undefined
    const waiting = this.findWaiting(caller.realm, id)
    if (waiting !== undefined) return waiting
    const rows = await this.store.reader(caller.storeScope).all(findBatches, { realm: caller.realm, id, ...position })
    for (const row of rows) {
      const found = findInBatch(row, id)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** An entry that is not written yet. */
  private findWaiting(realm: number, id: string): RequestLogEntry | undefined {
    const open = this.open.get(realm)?.find(id)
    if (open !== undefined) return open
    for (const batch of [...this.closed, ...this.writing]) {
      const found = batch.realm === realm ? batch.find(id) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Writes the waiting entries. Never rejects: after a failure they wait for the next flush. */
  async flush(): Promise<void> {
    // A running flush does not contain the newest entries.
    await this.flushing
    this.flushing ??= this.write().finally(() => {
      this.flushing = null
    })
    await this.flushing
  }

  /** Writes the batches present now. Newer entries wait for the next flush; otherwise load causes endless tiny commits. */
  private async write(): Promise<void> {
    this.closeAll()
    let left = this.closed.length
    while (left > 0 && this.closed.length > 0) {
      const batches = this.takeOldest()
      left -= batches.length
      this.writing = batches
      try {
        await this.store.writeLog(batches.map((batch) => ({ query: insertBatch, values: { ...batch.row() } })))
        this.waiting -= countOf(batches)
        this.spare.push(...batches.slice(0, limits.request_log_spare_max - this.spare.length))
      } catch (error) {
        this.handleFailure(batches, error)
        return
      } finally {
        this.writing = []
      }
    }
  }

  /** The oldest batches that fit into one commit. */
  private takeOldest(): LogBatch[] {
    let end = 1
    let count = this.closed[0]?.count ?? 0
    for (; end < this.closed.length; end++) {
      count += (this.closed[end] as LogBatch).count
      if (count > limits.request_log_commit_max) break
    }
    return this.closed.splice(0, end)
  }

  /** Puts batches back as the oldest after an unavailable store; any other error loses them. */
  private handleFailure(batches: readonly LogBatch[], error: unknown): void {
    if (error instanceof StoreUnavailable) {
      this.closed.unshift(...batches)
      this.dropOldest()
    } else {
      const lost = countOf(batches)
      this.waiting -= lost
      this.lost += lost
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}

function countOf(batches: readonly LogBatch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0)
}
