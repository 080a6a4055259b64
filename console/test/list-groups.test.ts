/** The groups of a list of tasks: their order, names, filters, and which tasks belong to them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Task } from '@atrium/sdk'
import { parseFilter } from '../../server/src/resources/tasks/filter/parse.ts'
import {
  dueBounds,
  filterBoth,
  type GroupNames,
  type GroupValue,
  groupChoices,
  groupsOf,
  list_groups_max,
  onlyProject,
  readCollapsed,
  writeCollapsed,
} from '../src/pages/work/list-groups.ts'

const field = (key: string, type: string | null, options: readonly (readonly [id: string, name: string])[] = []) => ({
  ...{ key, name: key.toUpperCase(), type, isOffered: true },
  options: options.map(([id, name]) => ({ id, names: [name], color: null })),
})
const names: GroupNames = {
  nameOf: (user) => ({ usr_a: 'Ada', usr_b: 'Bo' })[user] ?? user,
  projects: [{ id: 'prj_1', name: 'Orbit' }],
  columns: [
    { id: 'col_b', name: 'Open' },
    { id: 'col_a', name: 'Shipped' },
  ],
  fields: [
    field('stage', 'select', [
      ['x', 'Idea'],
      ['y', 'Live'],
    ]),
    field('done', 'checkbox'),
    field('owner', 'person'),
    field('size', null),
    field('points', 'number'),
  ],
  now: Date.parse('2026-11-24T12:00:00Z') / 1000,
}
const counts = (...groups: readonly (readonly [GroupValue, number])[]) => ({
  groups: groups.map(([value, count]) => ({ value, count })),
  others: 0,
})
const shown = (by: string, ...groups: readonly (readonly [GroupValue, number])[]) =>
  groupsOf(by, counts(...groups), names).map(({ name, count }) => [name, count])
const filters = (by: string, ...groups: readonly (readonly [GroupValue, number])[]) =>
  groupsOf(by, counts(...groups), names).map(({ filter }) => filter)

describe('groups of a list', () => {
  it('stand in the order of their property, tasks without a value last, and of columns first', () => {
    assert.deepEqual(shown('status', ['done', 2], ['todo', 9]), [
      ['To do', 9],
      ['Done', 2],
    ])
    assert.deepEqual(shown('assignee', [null, 5], ['usr_b', 1], ['usr_a', 3]), [
      ['Ada', 3],
      ['Bo', 1],
      ['No assignee', 5],
    ])
    assert.deepEqual(shown('column', ['col_a', 1], [null, 4]), [
      ['No column', 4],
      ['Open', 0],
      ['Shipped', 1],
    ])
    assert.deepEqual(shown('custom_fields.stage', ['y', 1], ['x', 2], [null, 3]), [
      ['Idea', 2],
      ['Live', 1],
      ['No stage', 3],
    ])
  })

  it('show names and never ids, also of what the page does not know', () => {
    assert.deepEqual(shown('project', ['prj_1', 1], ['prj_9', 1]), [
      ['Another project', 1],
      ['Orbit', 1],
    ])
    assert.deepEqual(shown('assignee', ['usr_z', 1]), [['Unknown person', 1]])
    assert.deepEqual(shown('custom_fields.done', [false, 1], [true, 2]), [
      ['Yes', 2],
      ['No', 1],
    ])
    assert.deepEqual(shown('custom_fields.owner', ['usr_a', 1], ['not a user', 2]), [
      ['Ada', 1],
      ['Other values', 2],
    ])
  })

  it('have filters that the API understands, also beside an alternative', () => {
    assert.deepEqual(filters('labels', ['say "hi"', 1], [null, 1]), ['labels:"say \\"hi\\""', 'labels = null'])
    assert.deepEqual(filters('status', ['todo', 1]), ['status = todo'])
    assert.deepEqual(filters('assignee', ['usr_a', 1], [null, 1]), ['assignee = "usr_a"', 'assignee = null'])
    assert.deepEqual(filters('custom_fields.done', [true, 1]), ['custom_fields.done = true'])
    assert.equal(filterBoth('a OR b', 'status = todo'), '(a OR b) status = todo')
    assert.equal(filterBoth('', 'status = todo'), 'status = todo')
    const all = ['status', 'priority', 'labels', 'due_at', 'custom_fields.stage', 'custom_fields.owner']
    for (const by of all) {
      for (const text of filters(by, ['todo', 1], ['high', 1], [2, 1], ['x', 1], ['usr_a', 1], [null, 1])) {
        assert.ok(text === null || parseFilter(text).ok, `${by}: ${text}`)
      }
    }
  })

  it('divide due dates at the midnights of the person, without a gap or an overlap', () => {
    const bounds = dueBounds(names.now)
    const groups = groupsOf('due_at', counts([0, 1], [1, 1], [2, 1], [3, 1], [4, 1], [null, 1]), names)
    assert.deepEqual(
      groups.map(({ name }) => name),
      ['Earlier', 'Today', 'Tomorrow', 'Next 7 days', 'Later', 'No due date'],
    )
    for (const due_at of [null, 0, ...bounds.flatMap((at) => [at - 1, at, at + 1])]) {
      const task = { due_at } as Task
      assert.equal(groups.filter((group) => group.has(task)).length, 1, String(due_at))
    }
    assert.equal(groups[1]?.has({ due_at: names.now } as Task), true)
  })

  it('count values that have no group of their own together', () => {
    const removed = groupsOf('custom_fields.stage', { ...counts(['x', 1], ['gone', 4]), others: 2 }, names).at(-1)
    assert.deepEqual([removed?.name, removed?.count], ['Other values', 6])
    assert.equal(removed?.filter, 'custom_fields.stage != null NOT custom_fields.stage IN ("x")')
    assert.deepEqual(
      ['gone', 3, null].map((stage) => removed?.has({ custom_fields: { stage } } as never)),
      [true, true, true],
    )
    const many = Array.from({ length: list_groups_max + 3 }, (_, i) => [`l${i}`, 1] as const)
    const cut = groupsOf('labels', counts(...many), names).at(-1)
    assert.deepEqual([cut?.name, cut?.count, cut?.filter], ['Further groups', 3, null])
  })

  it('are kept in the address whatever they are called', () => {
    const ids = new Set(['todo', 'two words', '100%', '%20', 'a,b', '~'])
    assert.deepEqual(readCollapsed(writeCollapsed(ids)), ids)
  })

  it('are offered for fields with few values, and by column for one project', () => {
    const offered = groupChoices(names.fields, true).map(({ label }) => label)
    assert.deepEqual(offered.slice(-4), ['By due date', 'By STAGE', 'By DONE', 'By OWNER'])
    assert.ok(
      offered.includes('By column') && !groupChoices(names.fields, false).some(({ label }) => label === 'By column'),
    )
  })
})

describe('the project of a filter', () => {
  it('is the only one that it names, by id or name', () => {
    const projects = [
      { id: 'prj_1', name: 'Orbit' },
      { id: 'prj_2', name: 'Twin' },
      { id: 'prj_3', name: 'twin' },
    ]
    const of = (filter: string) => onlyProject(filter, projects)
    assert.equal(of('project = prj_1 status = todo'), 'prj_1')
    assert.equal(of('project = "orbit" (a OR b)'), 'prj_1')
    assert.equal(of('project IN (prj_2)'), 'prj_2')
    for (const filter of [
      '',
      'project != prj_1',
      'project = "twin"',
      'project = prj_1 OR status = todo',
      'project = prj_9',
    ]) {
      assert.equal(of(filter), null, filter)
    }
    for (const filter of ['project = prj_1 project = prj_2', 'project IN (prj_1, prj_2)', 'project = none']) {
      assert.equal(of(filter), null, filter)
    }
  })
})
