/**
 * The request log: what was asked and how it went, never bodies, query values or credentials (decisions §9). Entries
 * are written in batches and readable from memory until then, so that `GET /v1/request_logs/{id}` finds a request at
 * once after its answer. Kept for seven days.
 */
import { query } from '../db/query.ts'
import { type Store, StoreUnavailable } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import type { Caller } from './caller.ts'

export interface RequestLogEntry {
  readonly realm: number
  readonly id: string
  /** Milliseconds. */
  readonly created: number
  /** The public fields as JSON. */
  readonly entry: string
}

const findEntry = query((db, p) =>
  db
    .selectFrom('request_logs')
    .select(['realm', 'id', 'created', 'entry'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
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
    this.timer = setInterval(() => void this.flush(), limits.request_log_flush_ms)
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
    return await this.store.reader(caller.storeScope).first(findEntry, { realm: caller.realm, id })
  }

  /** Writes what waits. Never rejects: what could not be written waits for the next time. */
  async flush(): Promise<void> {
    this.flushing ??= this.write().finally(() => {
      this.flushing = null
    })
    await this.flushing
  }

  private async write(): Promise<void> {
    while (this.waiting.size > 0) {
      this.writing = this.waiting
      this.waiting = new Map()
      try {
        await this.store.write('system', async (tx) => {
          for (const entry of this.writing.values()) tx.insert('request_logs', entry)
        })
      } catch (error) {
        if (error instanceof StoreUnavailable) for (const entry of this.writing.values()) this.add(entry)
        else this.lost += this.writing.size
        return
      } finally {
        this.writing = new Map()
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}
