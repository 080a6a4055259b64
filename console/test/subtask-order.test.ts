/** The order of subtasks in the panel of their parent, and where a task moved by hand stands. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Task } from '../../sdk/typescript/src/index.ts'
import { orderSubtasks, placeBeside, placeOf, stepFrom, titlesOf } from '../src/pages/work/subtask-order.ts'
import { groupMatches, rowsBelow } from '../src/pages/work/task-tree.ts'

function task(id: string, column: string | null, position: number, project: string | null = 'p'): Task {
  // Only the fields that decide the order.
  return { id, key: id, workspace: 'w', project, column, position } as Task
}

describe('the order of subtasks', () => {
  const columns = [{ id: 'doing' }, { id: 'done' }]
  const rows = orderSubtasks(
    [
      task('e', 'done', 1),
      task('f', null, 0, 'other'),
      task('c', 'doing', 2),
      task('b', 'doing', 1),
      task('d', 'doing', 2),
      task('a', null, 9),
    ],
    'p',
    columns,
  )
  const row = (id: string) => rows.find((each) => each.id === id) as Task

  it('is that of the board: without column first, then column by column, then other projects', () => {
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['a', 'b', 'c', 'd', 'e', 'f'],
    )
  })

  it('changes by hand within a column only', () => {
    assert.deepEqual(stepFrom(rows, row('b'), 1), { side: 'after', task: row('c'), position: 2 })
    assert.equal(stepFrom(rows, row('d'), 1), null)
    assert.equal(stepFrom(rows, row('a'), 1), null)
    assert.equal(placeBeside(rows, row('b'), row('e'), 'before'), null)
  })

  it('does not change where a task is dropped beside its own place', () => {
    assert.equal(placeBeside(rows, row('b'), row('c'), 'before'), null)
    assert.equal(placeBeside(rows, row('b'), row('b'), 'after'), null)
    assert.deepEqual(placeBeside(rows, row('d'), row('b'), 'before'), { side: 'before', task: row('b'), position: 0 })
    assert.deepEqual(placeBeside(rows, row('d'), row('b'), 'after'), { side: 'after', task: row('b'), position: 1.5 })
  })

  it('is restored by the neighbour from before', () => {
    assert.deepEqual(placeOf(rows, row('b')), { side: 'before', task: row('c'), position: 1 })
    assert.deepEqual(placeOf(rows, row('d')), { side: 'after', task: row('c'), position: 2 })
    assert.equal(placeOf(rows, row('a')), null)
  })
})

describe('rows of a grouped list', () => {
  const named = (id: string, parent: string | null, subtask_count = 0) =>
    // Only the fields that decide the rows.
    ({ id, parent, subtask_count }) as Task
  const shown = (rows: ReturnType<typeof rowsBelow>) =>
    rows.map(
      (row) =>
        row && `${'-'.repeat(row.level)}${row.task.id}${row.isExpanded === null ? '' : row.isExpanded ? ' v' : ' >'}`,
    )

  it('stand below a parent that matches, else apart', () => {
    const tasks = [named('b', 'a'), named('x', 'missing'), named('a', null, 1), named('c', 'b')]
    assert.deepEqual(shown(groupMatches(tasks, new Set())), ['x', 'a v', '-b v', '--c'])
    assert.deepEqual(shown(groupMatches(tasks, new Set(['a']))), ['x', 'a >'])
  })

  it('follow an expanded row on every level, also while they are read', () => {
    const children: Record<string, Task[]> = { a: [named('b', 'a', 2), named('c', 'a', 1)] }
    const below = (id: string) => children[id]
    assert.deepEqual(shown(rowsBelow(named('a', null, 2), 1, (id) => id === 'a' || id === 'b', below, 9)), [
      '-b v',
      undefined,
      undefined,
      '-c >',
    ])
    assert.deepEqual(shown(rowsBelow(named('a', null, 2), 1, () => false, below, 9)), [])
    assert.equal(rowsBelow(named('z', null, 50), 1, () => true, below, 9).length, 9)
  })
})

describe('pasted lines', () => {
  it('become titles without list marks and empty lines', () => {
    assert.deepEqual(titlesOf('- Bow\r\n\n* [x] Stern\n2. Mast\n  [ ] Keel \n1.5 m rope'), [
      'Bow',
      'Stern',
      'Mast',
      'Keel',
      '1.5 m rope',
    ])
  })
})
