import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { builder } from '../../../db/query.ts'
import { type Engine, openEngines, type Row, type Value } from '../engines.test.ts'
import {
  afterSql,
  orderBySql,
  parseSort,
  type SortKey,
  type SortRow,
  type SortValue,
  sortColumns,
  sortText,
  sortValues,
} from './sort.ts'

function keysOf(text: string): SortKey[] {
  const parsed = parseSort(text)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message)
  // The texts of this file name columns only.
  return parsed.keys as SortKey[]
}

test('a sort has one or two keys, ascending without and descending with a minus', () => {
  assert.deepEqual(keysOf('created'), [{ field: 'created', is_descending: false }])
  assert.deepEqual(keysOf('-due_at, priority'), [
    { field: 'due_at', is_descending: true },
    { field: 'priority', is_descending: false },
  ])
  for (const field of ['created', 'updated', 'start_at', 'due_at', 'completed_at', 'priority', 'title', 'position']) {
    assert.equal(keysOf(`-${field}`)[0]?.field, field)
  }
})

const column_names = 'created, updated, start_at, due_at, completed_at, priority, title, position'
const names = `${column_names} or custom_fields.<key>`
const refusals: [sort: string, message: string][] = [
  ['', `Cannot sort by "". Use ${names}.`],
  ['-', `Cannot sort by "". Use ${names}.`],
  ['created,', `Cannot sort by "". Use ${names}.`],
  ['--created', `Cannot sort by "-created". Did you mean "created"? Use ${names}.`],
  ['Created', `Cannot sort by "Created". Did you mean "created"? Use ${names}.`],
  ['-titel', `Cannot sort by "titel". Did you mean "title"? Use ${names}.`],
  ['priority_rank', `Cannot sort by "priority_rank". Use ${names}.`],
  ['constructor', `Cannot sort by "constructor". Use ${names}.`],
  ['created desc', `Cannot sort by "created desc". Use ${names}.`],
  ['created,-created', 'The sort key created is given twice.'],
  ['created,title,priority', 'A sort has at most 2 keys.'],
  [','.repeat(1_000_000), 'A sort has at most 2 keys.'],
  ['é'.repeat(1_000_000), `Cannot sort by "${'é'.repeat(40)}…". Use ${names}.`],
]

for (const [sort, message] of refusals) {
  test(`the sort ${sort.slice(0, 30)} is refused`, () => {
    assert.deepEqual(parseSort(sort), { ok: false, message })
  })
}

test('an order has one canonical text, regardless of spaces', () => {
  assert.equal(sortText(keysOf(' -priority ,title ')), '-priority,title')
})

test('ties are broken by id in the direction of the last key, and without a key the newest id is first', () => {
  assert.deepEqual(sortColumns(keysOf('priority,-due_at')), [
    { column: 'priority_rank', is_nullable: false, is_descending: false },
    { column: 'due_at', is_nullable: true, is_descending: true },
    { column: 'id', is_nullable: false, is_descending: true },
  ])
  assert.deepEqual(sortColumns([]), [{ column: 'id', is_nullable: false, is_descending: true }])
})

test('a position needs a value for each key', () => {
  assert.throws(() => afterSql(keysOf('created'), [], 'tsk_1', false), RangeError)
})

let seed = 42
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

type Task = SortRow & { id: string }

/** Few different values, for many ties and nulls. */
const tasks = Array.from(
  { length: 90 },
  (_, i): Task => ({
    id: `tsk_${String(i * 37).padStart(5, '0')}`,
    created: below(5) * 1000 + below(2),
    updated: below(90),
    start_at: one([null, null, 7]),
    due_at: one([null, null, -5, 0, 7, 1_790_000_000_123]),
    completed_at: one([null, 1, 2, 3]),
    priority_rank: below(5),
    title: one(['', 'A', 'Z', 'a', 'ä', '\uFF5E', '\u{1F600}', 'a b']),
    position: one([1024, 2048, 0.5, -1.25, 1e-9]),
  }),
)

const columns = Object.keys(tasks[0] ?? {}) as (keyof Task)[]
const types = columns.map((column) => {
  if (column === 'id' || column === 'title') return `${column} text not null`
  return `${column} ${column === 'position' ? 'double precision' : 'bigint'}`
})
const engines = openEngines(
  types,
  tasks.toSorted(() => below(3) - 1).map((task) => columns.map((column) => task[column])),
)

function compareValues(left: SortValue, right: SortValue): number {
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(String(right)))
  return Number(left) - Number(right)
}

/** The order of contract/06#sort as plain code. */
function sorted(keys: SortKey[]): Task[] {
  const byId = (left: Task, right: Task) => (left.id < right.id ? -1 : 1) * (keys.at(-1)?.is_descending ? -1 : 1)
  return tasks.toSorted((left, right) => {
    for (const key of keys) {
      const [[a = null], [b = null]] = [sortValues([key], left), sortValues([key], right)]
      if (a === null && b === null) continue
      if (a === null || b === null) return a === null ? 1 : -1
      const difference = compareValues(a, b) * (key.is_descending ? -1 : 1)
      if (difference !== 0) return difference
    }
    return byId(left, right)
  })
}

async function page(engine: Engine, keys: SortKey[], from: Task | undefined, backwards: boolean): Promise<Row[]> {
  let query = builder(engine.dialect).selectFrom('tasks').selectAll().orderBy(orderBySql(keys, backwards))
  if (from) query = query.where(afterSql(keys, sortValues(keys, from), from.id, backwards))
  return engine.rows(query.limit(1 + below(30)).compile())
}

async function walk(engine: Engine, keys: SortKey[], backwards: boolean): Promise<Value[]> {
  const ids: Value[] = []
  let last: Task | undefined
  for (;;) {
    const rows = await page(engine, keys, last, backwards)
    if (rows.length === 0) return ids
    ids.push(...rows.map((row) => row.id as Value))
    last = rows.at(-1) as Task
    assert.ok(ids.length <= tasks.length, 'a page went back')
  }
}

const fields = column_names.split(', ')
const orders = fields.flatMap((first) => [
  ...[first, `-${first}`],
  ...fields
    .filter((second) => second !== first)
    .flatMap((second) => [`${first},${second}`, `${first},-${second}`, `-${first},${second}`, `-${first},-${second}`]),
])

for (const engine of engines) {
  test(`on ${engine.dialect} the pages of every order make the sorted list, and backwards its reverse`, async () => {
    for (const order of orders) {
      const keys = keysOf(order)
      const expected = sorted(keys).map((task) => task.id)
      assert.deepEqual(await walk(engine, keys, false), expected, order)
      assert.deepEqual(await walk(engine, keys, true), expected.toReversed(), `${order} backwards`)
    }
  })

  test(`on ${engine.dialect} the page after a position is the same after its row is deleted`, async () => {
    for (const order of orders) {
      const keys = keysOf(order)
      const gone: Task = { ...one(tasks), id: 'tsk_00001', created: 1000, title: 'Y', position: 3 }
      const after = async (backwards: boolean) => {
        const where = afterSql(keys, sortValues(keys, gone), gone.id, backwards)
        const query = builder(engine.dialect).selectFrom('tasks').select('id').where(where)
        return (await engine.rows(query.compile())).length
      }
      assert.equal((await after(false)) + (await after(true)), tasks.length, order)
    }
  })
}

test('a plain index gives the order and the start position in both directions', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`create table tasks (realm, workspace, ${types.join()})`)
  for (const column of columns) db.exec(`create index by_${column} on tasks (realm, workspace, ${column}, id)`)
  const plan = (order: string, values: SortValue[], backwards: boolean) => {
    const keys = keysOf(order)
    let query = builder('sqlite')
      .selectFrom('tasks')
      .select('id')
      .where('realm', '=', 1)
      .where('workspace', '=', 'wsp_1')
    query = query.where(afterSql(keys, values, 'tsk_1', backwards)).orderBy(orderBySql(keys, backwards))
    const { sql, parameters } = query.limit(20).compile()
    return db
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as Value[]))
      .map((step) => step.detail)
  }
  const begun = (column: string, sign: string) =>
    `SEARCH tasks USING COVERING INDEX by_${column} (realm=? AND workspace=? AND (${column},id)${sign}(?,?))`
  assert.deepEqual(plan('created', [5], false), [begun('created', '>')])
  assert.deepEqual(plan('-priority', [3], false), [begun('priority_rank', '<')])
  assert.deepEqual(plan('-title', ['x'], true), [begun('title', '>')])
  assert.deepEqual(plan('due_at', [5], true), [begun('due_at', '<')])
  const inNulls = 'SEARCH tasks USING COVERING INDEX by_due_at (realm=? AND workspace=? AND due_at=? AND id>?)'
  assert.deepEqual(plan('due_at', [null], false), [inNulls])
  // Before the nulls the index gives the order but not the start position.
  assert.deepEqual(plan('due_at', [5], false), [
    'SEARCH tasks USING COVERING INDEX by_due_at (realm=? AND workspace=?)',
  ])
})
