/**
 * How entries of the request log share a row: a line each, `<created in ms> <entry>`, in the order in which they ended. The
 * row's `id` is the largest of its entries and its `created` the smallest. No batch spans more than `request_log_span_ms` of ids, so
 * that an id, which tells its own time, is in one of few rows. An entry written before there were batches is its own.
 */
import type { RequestLogRow } from '../db/schema.ts'
import { idPattern, idTime } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'

export interface RequestLogEntry {
  readonly realm: number
  readonly id: string
  /** Milliseconds. */
  readonly created: number
  /** The public fields as JSON, the id first. */
  readonly entry: string
}

const request_id = new RegExp(idPattern('req'))

/** Where the batch of an id may lie: `last` is the largest id that it can end with. Null: no request has such an id. */
export function placeOf(id: string): { readonly last: string; readonly time: number } | null {
  if (!request_id.test(id)) return null
  const time = idTime(id)
  return { last: `${idStart(time + limits.request_log_span_ms)}~`, time }
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** What the ids of a millisecond begin with. */
function idStart(time: number): string {
  let text = ''
  for (let left = time; text.length < 10; left = Math.floor(left / 32)) text = digits.charAt(left % 32) + text
  return `req_${text}`
}

/** Bytes of a batch that has just begun. */
const bytes_at_first = 4096
/** No code unit of a string takes more bytes. */
const bytes_per_unit = 3

/**
 * The batch of one realm that entries are added to until it is full. Its text is kept as bytes and used again for the next
 * batch: strings would outlive the young generation, and to collect them cost a busy server more than a read does.
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

  /** How many entries are in it. */
  get count(): number {
    return this.size
  }

  /** Forgets its entries, and begins anew with one. */
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

  /** Adds an entry of this realm, unless the batch is full or would span too much; says whether it did. */
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

  /** Its entry of an id, when there is one. */
  find(id: string): RequestLogEntry | undefined {
    if (id > this.last || idTime(id) < this.earliest) return undefined
    return findInBatch(this.row(), id)
  }
}

/** The entry of an id, when it is in the batch. */
export function findInBatch(row: RequestLogRow, id: string): RequestLogEntry | undefined {
  const { realm, entry: text } = row
  const at = text.indexOf(`{"id":"${id}"`)
  if (at < 0) return undefined
  const end = text.indexOf('\n', at)
  const entry = text.slice(at, end < 0 ? text.length : end)
  const created = at === 0 ? row.created : Number(text.slice(text.lastIndexOf('\n', at) + 1, at - 1))
  return { realm, id, created, entry }
}
