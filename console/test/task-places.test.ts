/** Where the pages of a long list begin, as they are read in any order. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Places, page_tasks } from '../src/pages/work/task-places.ts'

const page = (rows: number, next_cursor: string | null) => ({
  data: Array.from({ length: rows }),
  has_more: next_cursor !== null,
  next_cursor,
})

describe('places of a long list', () => {
  it('are learnt page by page, and the last page says how long the list is', () => {
    const places = new Places()
    assert.deepEqual([places.has(0), places.cursor(0), places.has(1)], [true, undefined, false])
    places.learn(0, page(page_tasks, 'a'))
    assert.deepEqual([places.cursor(1), places.rows, places.isWhole], ['a', 200, false])
    places.learn(1, page(40, null))
    assert.deepEqual([places.rows, places.isWhole, places.pageOf(139)], [140, true, 1])
  })

  it('make the list as long as it was counted, until its end has been read', () => {
    const places = new Places()
    places.learn(0, page(page_tasks, 'a'))
    places.count(1000)
    assert.equal(places.rows, 1000)
    places.learnAll(['a', 'b', 'c'])
    assert.deepEqual([places.nearest(2), places.nearest(9), places.cursor(3)], [2, 3, 'c'])
    places.learn(3, page(7, null))
    assert.equal(places.rows, 307)
  })

  it('count for less than what pages say themselves', () => {
    const places = new Places()
    places.learn(0, page(page_tasks, 'said'))
    places.learnAll(['counted', 'b'])
    assert.deepEqual([places.cursor(1), places.cursor(2)], ['said', 'b'])
  })

  it('find every row when pages have lost some of theirs', () => {
    const places = new Places()
    places.count(1000)
    places.resize(0, 98)
    places.resize(2, 0)
    const found = [0, 97, 98, 197, 198, 297].map((row) => places.pageOf(row))
    assert.deepEqual(found, [0, 0, 1, 1, 3, 3])
    assert.deepEqual([places.start(1), places.start(3)], [98, 198])
    places.resize(0, page_tasks)
    assert.equal(places.start(1), 100)
  })

  it('go no further than a browser can draw', () => {
    const places = new Places()
    places.count(5_000_000)
    assert.equal(places.rows, 400_000)
  })
})
