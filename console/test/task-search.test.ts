import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { searchFilter } from '../src/app/task-search.ts'

describe('a field that finds a task', () => {
  it('finds it by its key in any case, else by words, which may hold anything', () => {
    assert.deepEqual(searchFilter(' hf-21 '), { filter: 'key = HF-21' })
    assert.deepEqual(searchFilter('HF-'), { filter: '"HF-"' })
    assert.deepEqual(searchFilter('HF-21 lease'), { filter: '"HF-21 lease"' })
    assert.deepEqual(searchFilter('a "b" OR'), { filter: '"a \\"b\\" OR"' })
  })

  it('filters nothing while it is empty', () => assert.deepEqual(searchFilter('  '), {}))
})
