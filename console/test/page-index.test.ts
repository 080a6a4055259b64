/** The page index of a long list, whose pages are read in any order. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PageIndex, page_tasks } from '../src/pages/work/page-index.ts'

const page = (rows: number, next_cursor: string | null) => ({
  data: Array.from({ length: rows }),
  has_more: next_cursor !== null,
  next_cursor,
})

describe('the page index of a long list', () => {
  it('learns pages one by one, and the exact length from the last page', () => {
    const index = new PageIndex()
    assert.deepEqual([index.has(0), index.cursor(0), index.has(1)], [true, undefined, false])
    index.addPage(0, page(page_tasks, 'a'))
    assert.deepEqual([index.cursor(1), index.rows, index.isComplete], ['a', 200, false])
    index.addPage(1, page(40, null))
    assert.deepEqual([index.rows, index.isComplete, index.pageOf(139)], [140, true, 1])
  })

  it('has the counted length until the last page is read', () => {
    const index = new PageIndex()
    index.addPage(0, page(page_tasks, 'a'))
    index.setCount(1000)
    assert.equal(index.rows, 1000)
    index.addCursors(['a', 'b', 'c'])
    assert.deepEqual([index.nearest(2), index.nearest(9), index.cursor(3)], [2, 3, 'c'])
    index.addPage(3, page(7, null))
    assert.equal(index.rows, 307)
  })

  it('prefers the cursors of pages that were read', () => {
    const index = new PageIndex()
    index.addPage(0, page(page_tasks, 'read'))
    index.addCursors(['listed', 'b'])
    assert.deepEqual([index.cursor(1), index.cursor(2)], ['read', 'b'])
  })

  it('finds every row when pages have lost rows', () => {
    const index = new PageIndex()
    index.setCount(1000)
    index.setRows(0, 98)
    index.setRows(2, 0)
    const found = [0, 97, 98, 197, 198, 297].map((row) => index.pageOf(row))
    assert.deepEqual(found, [0, 0, 1, 1, 3, 3])
    assert.deepEqual([index.firstRow(1), index.firstRow(3)], [98, 198])
    index.setRows(0, page_tasks)
    assert.equal(index.firstRow(1), 100)
  })

  it('ends where browsers cannot draw higher lists', () => {
    const index = new PageIndex()
    index.setCount(5_000_000)
    assert.equal(index.rows, 400_000)
  })
})
