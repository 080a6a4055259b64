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
import { findInBatch, placeOf, type RequestLogEntry, toBatches } from './log-batches.ts'

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

/** Batches of a commit that was not answered are written again, with what came in between: they may be there. */
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
  private waiting = new Map<string, RequestLogEntry>()
  private writing = new Map<string, RequestLogEntry>()
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
    if (this.waiting.size >= limits.request_log_waiting_max) {
      const oldest = this.waiting.keys().next().value as string
      this.waiting.delete(oldest)
      this.lost++
    }
    this.waiting.set(entry.id, entry)
  }

  /** The entry of a request in the caller's realm. */
  async find(caller: Caller, id: string): Promise<RequestLogEntry | undefined> {
    const kept = this.waiting.get(id) ?? this.writing.get(id)
    if (kept !== undefined) return kept.realm === caller.realm ? kept : undefined
    const place = placeOf(id)
    if (place === null) return undefined
    const rows = await this.store.reader(caller.storeScope).all(findBatches, { realm: caller.realm, id, ...place })
    for (const row of rows) {
      const found = findInBatch(row, id)
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
    let left = this.waiting.size
    while (left > 0 && this.waiting.size > 0) {
      const entries = [...this.waiting.values().take(Math.min(left, limits.request_log_commit_max))]
      left -= entries.length
      for (const { id } of entries) this.waiting.delete(id)
      this.writing = new Map(entries.map((entry) => [entry.id, entry]))
      try {
        await this.store.writeLog(toBatches(entries).map((batch) => ({ query: insertBatch, values: { ...batch } })))
      } catch (error) {
        if (error instanceof StoreUnavailable) this.takeBack(entries)
        else this.lost += entries.length
        return
      } finally {
        this.writing = new Map()
      }
    }
  }

  /** They are the oldest still, and the first to be dropped. */
  private takeBack(entries: readonly RequestLogEntry[]): void {
    const newer = [...this.waiting.values()]
    this.waiting = new Map()
    for (const entry of [...entries, ...newer]) this.add(entry)
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}
