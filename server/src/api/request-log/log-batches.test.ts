/** Which entries of the request log share a row, and that each is found in its row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../limits.ts'
import { idPosition, LogBatch, type RequestLogEntry } from './log-batches.ts'

const start = 1_790_000_000_000

let made = 0

/** Not `newId`: its times never go back, so other tests in this process would get ids of this time. */
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

/** The entries in batches, each begun when the one before is full. */
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

test(`a row has at most ${limits.request_log_batch_max} entries, and each is found in the only row that its id allows`, () => {
  const count = limits.request_log_batch_max * 2 + 1
  const begun = Array.from({ length: count }, () => entry(0))
  // Requests do not end in the order in which they began.
  const entries = begun.map((one, i) => begun[i ^ 1] ?? one)
  const batches = batchesOf(entries)
  assert.deepEqual(
    batches.map(({ count }) => count),
    [limits.request_log_batch_max, limits.request_log_batch_max, 1],
  )
  assert.deepEqual(sizes(...entries), [limits.request_log_batch_max, limits.request_log_batch_max, 1])
  for (const one of entries) {
    const position = idPosition(one.id)
    assert.ok(position !== null)
    const candidates = batches.filter((batch) => batch.row().id >= one.id && batch.row().id <= position.last)
    assert.deepEqual(
      candidates.flatMap((batch) => batch.find(one.id) ?? []),
      [one],
    )
  }
})

test('a row that reached its size takes no further entry, and a batch that begins again drops its entries', () => {
  const long = 'x'.repeat(limits.request_log_batch_bytes / 2)
  const entries = Array.from({ length: 3 }, () => ({ ...entry(0), entry: long }))
  assert.deepEqual(sizes(...entries), [2, 1])
  const [batch] = batchesOf(entries)
  const next = { ...entry(5), realm: 2 }
  batch?.begin(next)
  const { realm, id, created } = next
  assert.deepEqual(batch?.row(), { realm, id, created, entry: `${created} ${next.entry}` })
})

test('a row has the largest id and the earliest time of its entries', () => {
  const [first, second, third] = [entry(0), entry(1), entry(2)]
  const [batch] = batchesOf([second, third, first])
  assert.deepEqual(batch?.row(), {
    realm: 1,
    id: third.id,
    created: start,
    entry: [second, third, first].map(({ created, entry }) => `${created} ${entry}`).join('\n'),
  })
})

test('text of any script is read back unchanged', () => {
  const one = entry(0)
  const strange = { ...one, entry: JSON.stringify({ id: one.id, path: '/ñ/日本/🦊'.repeat(3000) }) }
  const [batch] = batchesOf([strange])
  assert.deepEqual(batch?.find(one.id), strange)
})

test('entries further apart in time than a row may span are in separate rows, in either order', () => {
  const later = limits.request_log_span_ms * 2
  const [near, far, beyond] = [later, later + limits.request_log_span_ms, later + limits.request_log_span_ms + 1].map(
    entry,
  )
  assert.ok(near && far && beyond)
  assert.deepEqual(sizes(near, far), [2])
  assert.deepEqual(sizes(near, beyond), [1, 1])
  assert.deepEqual(sizes(beyond, near), [1, 1])
})
