/**
 * The request log: what was asked and how it went, never bodies, query values or credentials (decisions §9). Entries
 * are written in batches and readable from memory until then, so that `GET /v1/request_logs/{id}` finds a request at
 * once after its answer. Kept for seven days.
 *
 * A batch is one row a realm (`log-batches.ts`): a row for each request would cost more than a read does.
 */
import { query } from '../db/query.ts'
import { type Store, StoreUnavailable } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import type { Caller } from './caller.ts'
import { findInBatch, LogBatch, placeOf, type RequestLogEntry } from './log-batches.ts'

export type { RequestLogEntry } from './log-batches.ts'

/** The batches that an entry may be in; few, because a batch spans little time. */
const findBatches = query((db, p) =>
  db
    .selectFrom('request_logs')
    .select(['realm', 'id', 'created', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('id'))
    .where('id', '<=', p('last'))
    .where('created', '<=', p('time')),
)

/** Batches of a commit that was not answered are written again: they may be there. */
const insertBatch = query((db, p) =>
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
  /** Those that take no more entries, the oldest first. */
  private closed: LogBatch[] = []
  private writing: readonly LogBatch[] = []
  /** Those that are written, to be used again. */
  private readonly spare: LogBatch[] = []
  /** Entries in all of them. */
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

  /** Takes an entry; the oldest are dropped when the store takes none for long. */
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
    // Once, when it is reached: what the store does not take is tried again when it is time.
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
  async find(caller: Caller, id: string): Promise<RequestLogEntry | undefined> {
    const place = placeOf(id)
    if (place === null) return undefined
    const kept = this.kept(caller.realm, id)
    if (kept !== undefined) return kept
    const rows = await this.store.reader(caller.storeScope).all(findBatches, { realm: caller.realm, id, ...place })
    for (const row of rows) {
      const found = findInBatch(row, id)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** What is not written yet. */
  private kept(realm: number, id: string): RequestLogEntry | undefined {
    const open = this.open.get(realm)?.find(id)
    if (open !== undefined) return open
    for (const batch of [...this.closed, ...this.writing]) {
      const found = batch.realm === realm ? batch.find(id) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Writes what waits. Never rejects: what could not be written waits for the next time. */
  async flush(): Promise<void> {
    // What came in since it began is not in it.
    await this.flushing
    this.flushing ??= this.write().finally(() => {
      this.flushing = null
    })
    await this.flushing
  }

  /** What comes in meanwhile waits for the next time: under load there would be no end of commits, of a few entries each. */
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
        this.refused(batches, error)
        return
      } finally {
        this.writing = []
      }
    }
  }

  /** As many as fit into one commit. */
  private takeOldest(): LogBatch[] {
    let end = 1
    let count = this.closed[0]?.count ?? 0
    for (; end < this.closed.length; end++) {
      count += (this.closed[end] as LogBatch).count
      if (count > limits.request_log_commit_max) break
    }
    return this.closed.splice(0, end)
  }

  /** What the store could not take now is the oldest still, and the first to be dropped. */
  private refused(batches: readonly LogBatch[], error: unknown): void {
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
