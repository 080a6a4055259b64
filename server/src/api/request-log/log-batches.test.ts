/** Which entries of the request log share a row, and that each is found in its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../limits.ts'
import { idPosition, LogBatch, type RequestLogEntry } from './log-batches.ts'

const start = 1_790_000_000_000

let made = 0

/** Not `newId`: whoever shares the process would get ids of this time, for they never go back. */
function idAt(time: number): string {
  const digits = (value: number, count: number) => value.toString(32).toUpperCase().padStart(count, '0')
  const crockford = (text: string) =>
    text.replaceAll(/[I-V]/g, (digit) => 'JKMNPQRSTVWXYZ'.charAt(digit.charCodeAt(0) - 73))
  return `req_${crockford(digits(time, 10) + digits(made++, 16))}`
}

function entry(ms: number): RequestLogEntry {
  const id = idAt(start + ms)
  return { realm: 1, id, created: start + ms, entry: JSON.stringify({ id }) }
}

/** How many entries each batch takes when one follows the other. */
function batchesOf(entries: readonly RequestLogEntry[]): LogBatch[] {
  const batches: LogBatch[] = []
  for (const one of entries) {
    if (batches.at(-1)?.add(one) === true) continue
    const batch = new LogBatch()
    batch.begin(one)
    batches.push(batch)
  }
  return batches
}

function sizes(...entries: readonly RequestLogEntry[]): number[] {
  return batchesOf(entries).map((batch) => batch.row().entry.split('\n').length)
}

test('a row holds a bounded number of entries, and each is found in the first row that its id leads to', () => {
  const count = limits.request_log_batch_max * 2 + 1
  const begun = Array.from({ length: count }, () => entry(0))
  // As requests end: not in the order in which they began.
  const entries = begun.map((one, i) => begun[i ^ 1] ?? one)
  const batches = batchesOf(entries)
  assert.deepEqual(
    batches.map(({ count }) => count),
    [limits.request_log_batch_max, limits.request_log_batch_max, 1],
  )
  assert.deepEqual(sizes(...entries), [limits.request_log_batch_max, limits.request_log_batch_max, 1])
  for (const one of entries) {
    const place = idPosition(one.id)
    assert.ok(place !== null)
    const candidates = batches.filter((batch) => batch.row().id >= one.id && batch.row().id <= place.last)
    assert.deepEqual(
      candidates.flatMap((batch) => batch.find(one.id) ?? []),
      [one],
    )
  }
})

test('a row has a bounded size but for its last entry, and its batch forgets it when it begins anew', () => {
  const long = 'x'.repeat(limits.request_log_batch_bytes / 2)
  const entries = Array.from({ length: 3 }, () => ({ ...entry(0), entry: long }))
  assert.deepEqual(sizes(...entries), [2, 1])
  const [batch] = batchesOf(entries)
  const next = { ...entry(5), realm: 2 }
  batch?.begin(next)
  const { realm, id, created } = next
  assert.deepEqual(batch?.row(), { realm, id, created, entry: `${created} ${next.entry}` })
})

test('a row is named after its largest id and the smallest time', () => {
  const [first, second, third] = [entry(0), entry(1), entry(2)]
  const [batch] = batchesOf([second, third, first])
  assert.deepEqual(batch?.row(), {
    realm: 1,
    id: third.id,
    created: start,
    entry: [second, third, first].map(({ created, entry }) => `${created} ${entry}`).join('\n'),
  })
})

test('text of any script comes back as it was', () => {
  const one = entry(0)
  const strange = { ...one, entry: JSON.stringify({ id: one.id, path: '/ñ/日本/🦊'.repeat(3000) }) }
  const [batch] = batchesOf([strange])
  assert.deepEqual(batch?.find(one.id), strange)
})

test('entries further apart in time than a row may span are in rows of their own, whichever came first', () => {
  const later = limits.request_log_span_ms * 2
  const [near, far, beyond] = [later, later + limits.request_log_span_ms, later + limits.request_log_span_ms + 1].map(
    entry,
  )
  assert.ok(near && far && beyond)
  assert.deepEqual(sizes(near, far), [2])
  assert.deepEqual(sizes(near, beyond), [1, 1])
  assert.deepEqual(sizes(beyond, near), [1, 1])
})
