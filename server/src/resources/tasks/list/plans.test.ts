/** Both engines read lists by the intended indexes. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { planRecorder } from '../../../../test/plan-recorder.ts'
import { onEveryServersWorld } from '../../../../test/world.ts'
import { definition } from '../../../db/query.ts'
import { readFilter } from '../filter/check.ts'
import { workspaceOf } from '../rows.test.ts'
import type { TaskCriteria, TaskPosition } from './queries.ts'
import { readTasks } from './read.ts'
import { isColumnKey, parseSort } from './sort.ts'

const tasks_count = 20_000

/** All have the label `common`, few `rare`; a third have a due date, none is archived. */
function fill(realm: number, workspace: string): string[] {
  const numbers = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${tasks_count})`
  const id = "'tsk_' || (100000 + i)"
  const rare = 'i % 2000 = 0'
  return [
    `${numbers} insert into tasks (realm, id, created, updated, revision, workspace, number, "key", title, title_folded,
       status, priority, priority_rank, creator_type, creator_id, due_at, is_archived, labels, custom_fields, position,
       project, "column")
     select ${realm}, ${id}, i, i, 1, '${workspace}', i, 'AB-' || i, 'Task ' || i, 'task ' || i,
       case when ${rare} then 'blocked' else 'todo' end, 'low', i % 5, 'user', 'usr_a', case when i % 3 = 0 then i end, 0,
       case when ${rare} then '["common","rare"]' else '["common"]' end,
       case when ${rare} then '{"points":13}' else '{"points":3}' end, i, 'prj_a', case when i % 4 = 0 then 'col_b' else 'col_a' end from numbers`,
    `${numbers} insert into task_terms select ${realm}, ':common', ${id} from numbers`,
    `${numbers} insert into task_terms select ${realm}, ':rare', ${id} from numbers where ${rare}`,
    `${numbers} insert into task_terms
     select ${realm}, case when ${rare} then 'points=13' else 'points=3' end, ${id} from numbers`,
  ]
}

interface Case {
  readonly sort?: string
  readonly filter?: string
  readonly criteria?: TaskCriteria
  readonly position?: TaskPosition
  /** The indexes or tables in the plans. */
  readonly by: readonly string[]
  readonly found: number
}

const far = (value: string | number | null, i: number): TaskPosition => ({ id: `tsk_${100_000 + i}`, values: [value] })
const cases: Readonly<Record<string, Case>> = {
  'by due date': { sort: 'due_at', by: ['tasks_due'], found: 21 },
  'by due date, far from the start': { sort: 'due_at', position: far(15_000, 15_000), by: ['tasks_due'], found: 21 },
  'by due date, after the last one with a date': {
    sort: 'due_at',
    position: far(null, 15_001),
    by: ['tasks_due'],
    found: 21,
  },
  'by title': { sort: 'title', by: ['tasks_title'], found: 21 },
  'by title, far from the start': { sort: '-title', position: far('Task 5', 5), by: ['tasks_title'], found: 21 },
  'by position': { sort: '-position', by: ['tasks_position'], found: 21 },
  'of a column by position': { filter: 'column=col_a', sort: 'position', by: ['tasks_order'], found: 21 },
  'of a column by position, far from the start': {
    filter: 'column=col_a AND priority>=low',
    sort: 'position',
    position: far(15_000, 15_000),
    by: ['tasks_order'],
    found: 21,
  },
  'without a column by position': {
    filter: 'project=prj_a AND column=none',
    sort: 'position',
    by: ['tasks_order'],
    found: 0,
  },
  'by priority': { sort: '-priority', by: ['tasks_priority'], found: 21 },
  'by priority and due date': { sort: '-priority,due_at', by: ['tasks_priority', 'tasks_due'], found: 21 },
  'of a label': { filter: 'labels:common', by: ['task_terms'], found: 21 },
  'of a rare label': { filter: 'labels:rare', by: ['task_terms'], found: 10 },
  'of a rare label by title': { filter: 'labels:rare', sort: 'title', by: ['task_terms'], found: 10 },
  'of a custom field': { filter: 'custom_fields.points=13', by: ['task_terms'], found: 10 },
  'of archived projects': { criteria: { is_archived: true }, by: ['tasks_archived'], found: 0 },
  'of a rare status by title': { criteria: { status: ['blocked'] }, sort: 'title', by: ['tasks_status'], found: 10 },
  'that are due soon': { criteria: { due_before: 3 }, by: ['tasks_due'], found: 21 },
}

onEveryServersWorld('The plan of a list', (world, engine) => {
  let workspace: string
  before(async () => {
    workspace = (await workspaceOf(world)).id
    await world.services.store.write('system', async (tx) => {
      for (const text of fill(world.acme.realms.live, workspace)) tx.write(definition(text))
    })
    if (engine === 'postgres') {
      await world.services.store.migrate(async (tx) => {
        for (const table of ['tasks', 'task_terms']) tx.write(definition(`analyze ${table}`))
      })
    }
  })

  const recorded = (plans: string[]) =>
    planRecorder(world.services.store.reader({ organization: world.acme.id, realms: [world.acme.realms.live] }), plans)

  for (const [name, { sort, filter, criteria, position = null, by, found }] of Object.entries(cases)) {
    it(`${name} reads ${by.join(' and ')} without a table scan`, async () => {
      const read = filter === undefined ? undefined : readFilter(filter, 0)
      const sorted = sort === undefined ? undefined : parseSort(sort)
      assert.ok(read?.ok !== false && sorted?.ok !== false)
      const selected = { workspace, filter: read, ...criteria }
      const plans: string[] = []
      const page = { keys: sorted?.keys.filter(isColumnKey) ?? [], backwards: false, position, count: 21 }
      const rows = await readTasks(recorded(plans), world.acme.realms.live, selected, page)
      const plan = plans.join('\n--\n')
      assert.equal(rows.length, found, plan)
      for (const index of by) assert.match(plan, new RegExp(`\\b${index}`), plan)
      assert.doesNotMatch(plan, /Seq Scan on tasks|Seq Scan on task_terms|SCAN tasks|SCAN task_terms/)
    })
  }
})
