/** Which entries of the request log share a row, and that each is found in its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { findInBatch, placeOf, type RequestLogEntry, toBatches } from './log-batches.ts'

const start = 1_790_000_000_000

function entry(realm: number, ms: number): RequestLogEntry {
  const id = newId('req', start + ms)
  return { realm, id, created: start + ms, entry: JSON.stringify({ id, object: 'request_log' }) }
}

function sizes(entries: readonly RequestLogEntry[]): number[] {
  return toBatches(entries).map((row) => row.entry.split('\n').length)
}

test('a row holds a bounded number of entries, and each is found in the first row that its id leads to', () => {
  const count = limits.request_log_batch_max * 2 + 1
  const entries = Array.from({ length: count }, () => entry(1, 0))
  const rows = toBatches(entries)
  assert.deepEqual(
    rows.map((row) => row.entry.split('\n').length),
    [limits.request_log_batch_max, limits.request_log_batch_max, 1],
  )
  for (const one of entries) {
    const place = placeOf(one.id)
    assert.ok(place !== null)
    const candidates = rows.filter(({ id }) => id >= one.id && id <= place.last)
    assert.deepEqual(
      candidates.flatMap((row) => findInBatch(row, one.id) ?? []),
      [one],
    )
  }
})

test('entries of two realms, or further apart in time than a row may span, are in rows of their own', () => {
  assert.deepEqual(sizes([entry(1, 0), entry(2, 0), entry(1, limits.request_log_span_ms)]), [2, 1])
  // Behind the others: ids never go back.
  const later = limits.request_log_span_ms * 2
  assert.deepEqual(sizes([entry(1, later), entry(1, later + limits.request_log_span_ms + 1)]), [1, 1])
})
