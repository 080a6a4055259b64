/**
 * Batches of the request log: one row holds many entries, a line each, `<created in ms> <entry>`, in the order in which the
 * requests ended. The row's `id` is the largest id of its entries, its `created` the earliest. A batch spans at most
 * `request_log_span_ms` of id times, so an id can be in few rows only. A row from before batches holds a single entry.
 */
import type { RequestLogRow } from '../../db/schema.ts'
import { idPattern, idTime, smallestId } from '../../lib/ids.ts'
import { limits } from '../limits.ts'

export interface RequestLogEntry {
  readonly realm: number
  readonly id: string
  /** In milliseconds. */
  readonly created: number
  /** The public fields as JSON, the id first. */
  readonly entry: string
}

const request_id = new RegExp(idPattern('req'))

/** The range of rows that may hold an id: `last` is the largest possible row id. Null for a text that is no request id. */
export function idPosition(id: string): { readonly last: string; readonly time: number } | null {
  if (!request_id.test(id)) return null
  const time = idTime(id)
  return { last: smallestId('req', time + limits.request_log_span_ms + 1), time }
}

/** Initial buffer size of a batch. */
const bytes_at_first = 4096
/** The most UTF-8 bytes per UTF-16 code unit. */
const bytes_per_unit = 3

/**
 * Collects the entries of one realm until it is full. The buffer is reused for the next batch: strings outlived the young
 * generation, and collecting them cost a busy server more CPU than the reads themselves.
 */
export class LogBatch {
  realm = 0
  private bytes = Buffer.allocUnsafeSlow(bytes_at_first)
  private length = 0
  private size = 0
  private last = ''
  private created = 0
  private earliest = 0
  private latest = 0

  /** Number of entries. */
  get count(): number {
    return this.size
  }

  /** Drops all entries and starts with this one. */
  begin(entry: RequestLogEntry): void {
    this.realm = entry.realm
    this.length = 0
    this.size = 0
    this.last = entry.id
    this.created = entry.created
    this.earliest = idTime(entry.id)
    this.latest = this.earliest
    this.append(entry)
  }

  /** Adds an entry of this realm. Returns false when the batch is full or would span too much time. */
  add(entry: RequestLogEntry): boolean {
    const { id, created } = entry
    const time = idTime(id)
    const earliest = Math.min(this.earliest, time)
    const latest = Math.max(this.latest, time)
    const isFull = this.size >= limits.request_log_batch_max || this.length >= limits.request_log_batch_bytes
    if (isFull || latest - earliest > limits.request_log_span_ms) return false
    this.earliest = earliest
    this.latest = latest
    this.created = Math.min(this.created, created)
    if (id > this.last) this.last = id
    this.append(entry)
    return true
  }

  private append({ created, entry }: RequestLogEntry): void {
    const text = `${this.size === 0 ? '' : '\n'}${created} ${entry}`
    const needed = this.length + text.length * bytes_per_unit
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, this.length)
      this.bytes = larger
    }
    this.length += this.bytes.write(text, this.length)
    this.size++
  }

  row(): RequestLogRow {
    const entry = this.bytes.toString('utf8', 0, this.length)
    return { realm: this.realm, id: this.last, created: this.created, entry }
  }

  /** The entry with this id, if the batch holds it. */
  find(id: string): RequestLogEntry | undefined {
    if (id > this.last || idTime(id) < this.earliest) return undefined
    return findInBatch(this.row(), id)
  }
}

/** The entry with this id, if the row holds it. */
export function findInBatch(row: RequestLogRow, id: string): RequestLogEntry | undefined {
  const { realm, entry: text } = row
  const at = text.indexOf(`{"id":"${id}"`)
  if (at < 0) return undefined
  const end = text.indexOf('\n', at)
  const entry = text.slice(at, end < 0 ? text.length : end)
  const created = at === 0 ? row.created : Number(text.slice(text.lastIndexOf('\n', at) + 1, at - 1))
  return { realm, id, created, entry }
}
