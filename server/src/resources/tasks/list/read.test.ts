/** Every access path of a list gives the result of the single statement that defines the list. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../../test/world.ts'
import type { AnyQuery } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { readFilter } from '../filter/check.ts'
import { insertTasks, workspaceOf } from '../rows.test.ts'
import { task_priorities } from '../task.ts'
import { joinedText, taskText } from '../task-text.ts'
import { countQuery, pageQuery, shownAsRows, type TaskCriteria, type TaskPage } from './queries.ts'
import { countTasks, type ReadOptions, readTasks, readTaskTexts } from './read.ts'
import { parseSort, type SortKey, type SortRow, sortValues } from './sort.ts'

let seed = 20_260_901
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T
const maybe = <T>(of: readonly T[]): T | undefined => (below(3) === 0 ? one(of) : undefined)
const some = <T>(of: readonly T[]): T[] | undefined =>
  below(3) === 0 ? Array.from({ length: 1 + below(2) }, () => one(of)) : undefined

const tasks_count = 300
const at = 1_785_000_000
const statuses = ['todo', 'done', 'blocked']
const users = ['usr_a', 'usr_b', 'null']
const projects = ['prj_a', 'prj_b', 'null']
const columns = ['col_a', 'col_b', 'null']
const labels = ['a', 'B', 'é', '\u{1F600}'.repeat(80), 'x'.repeat(80)]
const customs = [
  '3',
  3,
  3.5,
  1e21,
  true,
  false,
  '',
  'y'.repeat(200),
  `${'y'.repeat(200)}z`,
  '\u{1F600}'.repeat(150),
  ['3'],
]
const sortable = ['created', 'updated', 'start_at', 'due_at', 'completed_at', 'priority', 'title', 'position']
const conditions = [
  ...['column=col_a', 'column=col_b', 'column=none', 'project=prj_a column=none', 'project=none column=none'],
  ...['status:done', 'status:todo OR status:blocked', 'assignee:usr_a', 'assignee=null', 'project!=null', 'key:NONE-1'],
  ...['priority=high', 'priority>=medium', 'priority<low', 'priority<=none', `due_at<${at + 3}`, 'due_at=null'],
  ...[
    `due_at=${at + 1}`,
    `created>=${at + 2}`,
    `completed_at>${at}`,
    `due_at>${at + 2}`,
    `created>${at + 1} created<${at + 3}`,
    'completed_at=null',
    `updated<=${at + 2}`,
  ],
  ...['is_archived=true', 'is_archived=false', 'labels:a', 'labels:B', 'labels:é', 'labels:none', 'labels=null'],
  ...[`labels:"${labels[3]}"`, 'labels:a OR labels:B', '-labels:a', 'title:a', 'title=b', 'title>a', 'b'],
  ...[
    'custom_fields.x=3',
    'custom_fields.x="3"',
    'custom_fields.x=3.0',
    'custom_fields.x=1e21',
    'custom_fields.x=true',
  ],
  ...['custom_fields.x=""', 'custom_fields.x:3', 'custom_fields.x!=3', 'custom_fields.x=null', 'custom_fields.x>3'],
  ...[
    `custom_fields.x="${customs[7]}"`,
    `custom_fields.x="${customs[9]}"`,
    'custom_fields.x=3 OR custom_fields.x=true',
  ],
]

function randomTask(): Partial<TaskRow> {
  const time = () => (at + below(5)) * 1000 + below(2)
  const rank = below(task_priorities.length)
  const word = (of: readonly string[]) =>
    of === statuses ? one(of) : [one(of)].map((it) => (it === 'null' ? null : it))[0]
  return {
    ...{ created: time(), updated: time(), deleted_at: below(10) === 0 ? at : null, status: one(statuses) },
    ...{
      assignee: word(users) ?? null,
      project: word(projects) ?? null,
      column: word(columns) ?? null,
      is_archived: below(5) === 0 ? 1 : 0,
    },
    ...{
      start_at: below(3) === 0 ? null : time(),
      due_at: below(3) === 0 ? null : time(),
      completed_at: below(2) === 0 ? null : time(),
    },
    ...{ priority: task_priorities[rank] as string, priority_rank: rank, position: below(9) / 2 },
    title: one(['a', 'A', 'b', 'é', '\uFF5E', '\u{1F600}', 'x'.repeat(400)]),
    labels: JSON.stringify([...new Set(some(labels) ?? [])]),
    custom_fields: JSON.stringify(below(3) === 0 ? {} : { x: one(customs), other: below(3) }),
  }
}

function randomFilter(): TaskCriteria['filter'] {
  if (below(3) === 0) return undefined
  const text = Array.from({ length: 1 + below(3) }, () => `(${one(conditions)})`).join(one([' ', ' ', ' OR ']))
  const filter = readFilter(text, 0)
  assert.ok(filter.ok, text)
  return filter
}

function randomKeys(): SortKey[] {
  if (below(4) === 0) return []
  const names = [...new Set(Array.from({ length: 1 + below(2) }, () => one(sortable)))]
  return keysOf(names.map((name) => one(['', '-']) + name).join())
}

function keysOf(text: string): SortKey[] {
  const sort = parseSort(text)
  assert.ok(sort.ok)
  // The names are those of columns.
  return sort.keys as SortKey[]
}

onEveryWorld('A page of tasks', (world, engine) => {
  let reader: Reader
  let rows: TaskRow[]
  let workspaces: string[]

  before(async () => {
    const made = [await workspaceOf(world), await workspaceOf(world, 'Other things')] as const
    const drafts = () => Array.from({ length: tasks_count / 2 }, randomTask)
    rows = [...(await insertTasks(world, made[0], drafts())), ...(await insertTasks(world, made[1], drafts()))]
    workspaces = made.map(({ id }) => id)
    reader = world.services.store.reader('system')
  })

  function randomCriteria(): TaskCriteria {
    return {
      ...{ workspace: maybe(workspaces), project: some(projects), status: some(statuses), assignee: some(users) },
      ...{ due_before: maybe([at + 1, at + 4]), is_archived: maybe([true, false]), filter: randomFilter() },
    }
  }

  function randomPage(): TaskPage {
    const keys = randomKeys()
    const row = one(rows)
    const position = below(2) === 0 ? null : { id: row.id, values: sortValues(keys, row) }
    return { keys, backwards: below(2) === 0, position, count: 1 + below(12) }
  }

  it('is the same by look-ups of few tasks and by scans in slices of any size', async () => {
    const realm = world.acme.realms.live
    let nonempty = 0
    for (let round = 0; round < 1500; round++) {
      const [criteria, page] = [randomCriteria(), randomPage()]
      const options: ReadOptions = {
        few_max: one([0, 8, 2000, 2000]),
        slice_min: one([1, 2, 7, 500]),
        is_uninterrupted: below(5) === 0,
      }
      const [whole, count] = [pageQuery(realm, criteria, page, shownAsRows), countQuery(realm, criteria)]
      const expected = (await reader.all(whole.query, whole.values)).map(({ id }) => id)
      const found = (await readTasks(reader, realm, criteria, page, options)).map(({ id }) => id)
      const tried = JSON.stringify({ round, criteria, page, options })
      assert.deepEqual(found, expected, tried)
      assert.equal(
        await countTasks(reader, realm, criteria, options),
        (await reader.first(count.query, count.values))?.count,
        tried,
      )
      if (expected.length > 0) nonempty++
    }
    assert.ok(nonempty > 500, `only ${nonempty} pages were not empty`)
  })

  it('has the same text from SQLite and from its rows, with equal order and positions', async () => {
    if (engine === 'postgres') return
    const realm = world.acme.realms.live
    for (let round = 0; round < 300; round++) {
      const [criteria, page] = [randomCriteria(), randomPage()]
      const expected = await readTasks(reader, realm, criteria, page)
      const found = await readTaskTexts(reader, realm, criteria, page)
      assert.deepEqual(found.map(joinedText), expected.map(taskText))
      const positionOf = (row: { readonly id: string } & SortRow) => [row.id, ...sortValues(page.keys, row)]
      assert.deepEqual(found.map(positionOf), expected.map(positionOf as never))
    }
  })

  it('shows every unchanged task exactly once while other tasks change between slices', async () => {
    const workspace = await workspaceOf(world, 'Moving things')
    const drafts = Array.from({ length: 120 }, () => ({ ...randomTask(), deleted_at: null, is_archived: 0 }))
    const ids = (await insertTasks(world, workspace, drafts)).map(({ id }) => id)
    const unchanged = new Set(ids.filter((_, i) => i % 2 === 0))
    const changing = ids.filter((id) => !unchanged.has(id))
    let going = true
    const writing = Array.from({ length: 3 }, async () => {
      while (going) {
        const changes = {
          due_at: one([null, at + below(5)]),
          priority: one(task_priorities),
          title: one(['a', 'b', 'é']),
        }
        await world.patch(`/v1/tasks/${one(changing)}`, changes)
      }
    })
    try {
      for (const sort of ['due_at', '-title', '-priority,due_at', 'due_at,-title', '-completed_at,priority']) {
        const keys = keysOf(sort)
        const seen: string[] = []
        let position: TaskPage['position'] = null
        for (;;) {
          const page = { keys, backwards: false, position, count: 7 }
          const options = { few_max: one([0, 20]), slice_min: one([1, 3]) }
          const rows = await readTasks(reader, world.acme.realms.live, { workspace: workspace.id }, page, options)
          assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length, 'a page shows a task once')
          seen.push(...rows.map(({ id }) => id).filter((id) => unchanged.has(id)))
          const last = rows.at(-1)
          if (rows.length < page.count || last === undefined) break
          position = { id: last.id, values: sortValues(keys, last) }
        }
        assert.deepEqual(seen.toSorted(), [...unchanged].toSorted(), sort)
      }
    } finally {
      going = false
      await Promise.all(writing)
    }
  })

  it('shows a task once that moves forward in the order during the scan', async () => {
    const workspace = await workspaceOf(world, 'Racing things')
    const drafts = [1, 2, 3, 4].map((i) => ({ due_at: (at + i) * 1000, title: 'a' }))
    const ids = (await insertTasks(world, workspace, drafts)).map(({ id }) => id)
    for (const sort of ['due_at', 'title,due_at']) {
      let moves = 0
      const moving: Reader = {
        dialect: reader.dialect,
        first: <R>(query: AnyQuery<R>, values?: unknown) => reader.first(query, values as never),
        async all<R>(query: AnyQuery<R>, values?: unknown) {
          const rows = await reader.all(query, values as never)
          if (rows.length > 0 && moves++ === 0) await world.patch(`/v1/tasks/${ids[0]}`, { due_at: at + 9 })
          return rows
        },
      }
      const page = { keys: keysOf(sort), backwards: false, position: null, count: 5 }
      const options = { few_max: 0, slice_min: 1 }
      const rows = await readTasks(moving, world.acme.realms.live, { workspace: workspace.id }, page, options)
      assert.deepEqual(rows.map(({ id }) => id).toSorted(), ids.toSorted(), sort)
      assert.ok(moves > 0)
    }
  })

  it('lets the process do other work between slices, except with is_uninterrupted', async () => {
    if (engine === 'postgres') return
    const filter = readFilter('no-such-word', 0)
    assert.ok(filter.ok)
    const page: TaskPage = { keys: [], backwards: false, position: null, count: 21 }
    let turns = 0
    let going = true
    const count = () => {
      turns++
      if (going) setImmediate(count)
    }
    setImmediate(count)
    // 1, 4, 16, 64 and more of 300 tasks: at least four pauses.
    assert.deepEqual(await readTasks(reader, world.acme.realms.live, { filter }, page, { slice_min: 1 }), [])
    assert.ok(turns >= 4, `${turns} turns`)
    const before = turns
    await readTasks(reader, world.acme.realms.live, { filter }, page, { slice_min: 1, is_uninterrupted: true })
    going = false
    assert.equal(turns, before)
  })
})
