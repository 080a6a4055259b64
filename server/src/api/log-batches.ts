/**
 * How entries of the request log share a row: a line each, `<created in ms> <entry>`, in the order of their ids. The row's
 * `id` is the last entry's and its `created` the first one's. No batch spans more than `request_log_span_ms` of ids, so
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

/** The rows of some entries, each realm's apart, with at most `request_log_batch_max` entries. */
export function toBatches(entries: readonly RequestLogEntry[]): RequestLogRow[] {
  const sorted = [...entries].sort((a, b) => a.realm - b.realm || (a.id < b.id ? -1 : 1))
  const rows: RequestLogRow[] = []
  let row: RequestLogRow | null = null
  let until = 0
  let count = 0
  for (const { realm, id, created, entry } of sorted) {
    const line = `${created} ${entry}`
    if (row !== null && row.realm === realm && idTime(id) <= until && count < limits.request_log_batch_max) {
      count++
      row.id = id
      row.created = Math.min(row.created, created)
      row.entry += `\n${line}`
    } else {
      row = { realm, id, created, entry: line }
      until = idTime(id) + limits.request_log_span_ms
      count = 1
      rows.push(row)
    }
  }
  return rows
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
