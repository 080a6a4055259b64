import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { entriesSince } from '../src/pages/money/entries-since.ts'

/** Entries created at these seconds, newest first, and how many of them were read. */
function listOf(created: readonly number[]) {
  const reads = { count: 0 }
  async function* list() {
    for (const each of created) {
      reads.count++
      yield { created: each }
    }
  }
  return { reads, list: list() }
}

describe('the entries of a week', () => {
  it('are read back to the beginning of the week, and no further', async () => {
    const { reads, list } = listOf([500, 400, 300, 200, 100])
    const entries = await entriesSince(list, 300, 1000)
    assert.deepEqual(
      entries.map(({ created }) => created),
      [500, 400, 300],
    )
    assert.equal(reads.count, 4)
  })

  it('are cut at the maximum, and the last of them then tells that earlier ones may belong to the week', async () => {
    const { reads, list } = listOf([500, 400, 300, 200, 100])
    const entries = await entriesSince(list, 300, 2)
    assert.deepEqual(entries.at(-1), { created: 400 })
    assert.equal(reads.count, 2)
  })
})
