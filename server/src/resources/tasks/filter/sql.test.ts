import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { builder } from '../../../db/query.ts'
import { type Engine, openEngines, type Value } from '../engines.test.ts'
import { type Condition, readFilter } from './check.ts'
import { filterToSql, foldText } from './sql.ts'

const priorities = ['none', 'low', 'medium', 'high', 'urgent']

type Custom = Record<string, string | number | boolean | string[]>

/** A stored task without its JSON and derived columns. */
const plain = {
  title: 'Task',
  description: null as string | null,
  status: 'todo',
  priority: 'none',
  assignee: null as string | null,
  project: null as string | null,
  column: null as string | null,
  labels: [] as string[],
  custom_fields: {} as Custom,
  created: 1_000_000,
  updated: 1_000_000,
  due_at: null as number | null,
  completed_at: null as number | null,
  is_archived: 0,
}
type Task = typeof plain & { id: string; key: string }

/** Ids are single letters, keys are KEP-1, KEP-2 and so on. */
const given: Partial<Task>[] = [
  {
    ...{
      title: 'Draft the report',
      description: 'For the BOARD',
      priority: 'high',
      assignee: 'usr_1',
      project: 'prj_1',
    },
    ...{ column: 'col_1', labels: ['bug', 'ui'], due_at: 2_000_999, created: 1_000_000 },
    custom_fields: { points: 3, city: 'Zürich', billable: true, tags: ['red', 'Blue'] },
  },
  {
    ...{ title: 'Review the report', status: 'in_review', priority: 'urgent', assignee: 'usr_2', project: 'prj_1' },
    ...{ column: 'col_2', labels: ['bug'], due_at: 2_001_000, created: 1_001_000 },
    custom_fields: { points: 5, city: 'ZÜRICH West', billable: false, tags: ['5', 'red, blue'] },
  },
  {
    ...{ title: 'ÜBERPRÜFUNG', description: 'under_score at 100%', status: 'done', priority: 'low', project: 'prj_2' },
    ...{ labels: ['UI'], created: 1_002_999, completed_at: 3_000_500, custom_fields: { points: '5', city: 'Bern' } },
  },
  {
    ...{ title: 'null pointer', description: 'true', status: 'blocked', labels: ['null', '*'], due_at: 1_999_999 },
    custom_fields: { points: -2.5, tags: [], billable: 'true' },
  },
  {
    ...{ title: 'Ship it', description: `say "hi" to O'Neil \\o/`, status: 'backlog', priority: 'medium' },
    ...{ labels: ['a "b"'], custom_fields: { points: 0.1, version: '1.10', city: 'null' } },
  },
  {
    ...{ title: 'Old report', status: 'canceled', priority: 'urgent', assignee: 'usr_1', is_archived: 1 },
    custom_fields: { points: 1e21, version: '1.9' },
  },
  { title: 'draft', description: 'überprüfung', custom_fields: { version: 'v2', city: 'ЖЕНЕВА' } },
  { title: 'Zebra', description: 'x', status: 'done', completed_at: 3_000_499, updated: 1_000_999 },
  { title: 'apple', assignee: 'USR_1', due_at: 2_000_000, updated: 999_999, custom_fields: { points: 2 ** 53 - 1 } },
  { title: '', description: '', status: 'paused', priority: 'critical', due_at: 0, custom_fields: { points: '' } },
  { title: '\u{1F600} smile', due_at: -500, custom_fields: { points: false, tags: ['\u{1F600}'] } },
  { title: '\uFF5E wide', due_at: -1000, custom_fields: { points: 'abc', version: '\uFF5E' } },
  { title: '%', description: '_', custom_fields: { points: ['3'], version: '\u{1F600}' } },
]
const tasks = given.map((task, i): Task => ({ ...plain, id: 'abcdefghijklm'.charAt(i), key: `KEP-${i + 1}`, ...task }))

const columns = [
  ...['id text', 'title text', 'title_folded text', 'description text', 'description_folded text', 'status text'],
  ...['priority text', 'priority_rank bigint', 'assignee text', 'project text', '"column" text', 'labels text'],
  ...['custom_fields text', '"key" text', 'created bigint', 'updated bigint', 'due_at bigint', 'completed_at bigint'],
  'is_archived bigint',
]

function stored(task: Task): Value[] {
  const { title, description, status, priority } = task
  return [
    ...[task.id, title, foldText(title), description, description === null ? null : foldText(description), status],
    ...[priority, Math.max(0, priorities.indexOf(priority)), task.assignee, task.project, task.column],
    ...[JSON.stringify(task.labels), JSON.stringify(task.custom_fields), task.key, task.created, task.updated],
    ...[task.due_at, task.completed_at, task.is_archived],
  ]
}

const engines = openEngines(columns, tasks.map(stored))

async function find({ dialect, rows }: Engine, condition: Condition): Promise<string> {
  const query = builder(dialect).selectFrom('tasks').select('id').where(filterToSql(condition, dialect)).orderBy('id')
  return (await rows(query.compile())).map((row) => row.id).join('')
}

function read(filter: string): Condition {
  const checked = readFilter(filter, 0)
  assert.ok(checked.ok, checked.ok ? '' : checked.message)
  return checked.condition
}

const all = 'abcdefghijklm'
const but = (ids: string) => [...all].filter((id) => !ids.includes(id)).join('')

const found: [filter: string, ids: string][] = [
  ['', all],
  // bare words and phrases
  ['report', 'abf'],
  ['REPORT', 'abf'],
  ['board', 'a'],
  ['überPRÜFUNG', 'cg'],
  ['"the report"', 'ab'],
  ['the report', 'ab'],
  ['"report the"', ''],
  ['100%', 'c'],
  ['%', 'cm'],
  ['_', 'cm'],
  ['"\\""', 'e'],
  ["O'NEIL", 'e'],
  ['"\\\\o/"', 'e'],
  ['""', all],
  ['😀', 'k'],
  ['-report', but('abf')],
  // title and description
  ['title:draft', 'ag'],
  ['title = draft', 'g'],
  ['title = "Draft the report"', 'a'],
  ['title != draft', but('g')],
  ['title:null', ''],
  ['title:"null"', 'd'],
  ['title = null', ''],
  ['title = ""', 'j'],
  ['title < "A"', 'jm'],
  ['title >= "a"', 'cdgikl'],
  ['title > "\uFF5E wide"', 'k'],
  ['title <= "\uFF5E wide" title > z', 'cl'],
  ['description:board', 'a'],
  ['description = true', 'd'],
  ['description:Ü', 'g'],
  ['description = null', 'bfikl'],
  ['description != null', but('bfikl')],
  ['description != x', but('h')],
  ['NOT description:a', 'bdfghijklm'],
  ['description = ""', 'j'],
  ['description:""', but('bfikl')],
  // status and priority
  ['status = done', 'ch'],
  ['status:(done OR blocked)', 'cdh'],
  ['status != (done OR todo)', 'bdefj'],
  ['priority = high', 'a'],
  ['priority >= high', 'abf'],
  ['priority > high', 'bf'],
  ['priority < medium priority != none', 'c'],
  ['priority <= medium', but('abf')],
  ['priority > null', ''],
  // ids, key, labels
  ['assignee = usr_1', 'af'],
  ['assignee != usr_1', but('af')],
  ['assignee = null', but('abfi')],
  ['assignee != null', 'abfi'],
  ['assignee:*', 'abfi'],
  ['project = (prj_1 OR prj_2)', 'abc'],
  ['-project:prj_1', but('ab')],
  ['column = col_2 OR column = null', but('a')],
  ['key = KEP-4', 'd'],
  ['key:kep-4', 'd'],
  ['key != KEP-4', but('d')],
  ['labels:bug', 'ab'],
  ['labels:ui', 'a'],
  ['labels:(bug -ui)', 'b'],
  ['labels:bu', ''],
  ['labels:"null"', 'd'],
  ['labels:"*"', 'd'],
  ['labels:*', 'abcde'],
  ['labels = null', but('abcde')],
  ['labels:"a \\"b\\""', 'e'],
  ['-labels:bug', but('ab')],
  // times, to the second
  ['due_at = 2000', 'ai'],
  ['due_at > 2000', 'b'],
  ['due_at >= 2000', 'abi'],
  ['due_at < 2000', 'djkl'],
  ['due_at <= 2000', 'adijkl'],
  ['due_at = -1', 'kl'],
  ['due_at < 0', 'kl'],
  ['due_at = 0', 'j'],
  ['due_at != 2000', but('ai')],
  ['NOT due_at > 2000', but('b')],
  ['due_at = null', 'cefghm'],
  ['due_at <= null', ''],
  ['created > 1000', 'bc'],
  ['updated < 1000', 'i'],
  ['updated = 1000', but('i')],
  ['completed_at = 3000', 'ch'],
  ['completed_at <= 8640000000000', 'ch'],
  ['completed_at >= -8640000000000', 'ch'],
  ['due_at = 1970-01-01', all.replace(/[cefghklm]/g, '')],
  ['due_at < 1970-01-01', 'kl'],
  ['due_at <= 1970-01-01', 'abdijkl'],
  ['due_at > 1970-01-01', ''],
  ['due_at >= 1970-01-01', 'abdij'],
  ['due_at > 1970-01-01T00:33:20Z', 'b'],
  ['due_at < now', 'kl'],
  // sets
  ['status IN (done, blocked)', 'cdh'],
  ['NOT status IN (done, blocked)', but('cdh')],
  ['due_at IN (0, 2000, null)', 'aijcefghm'.split('').sort().join('')],
  ['labels IN (bug, UI)', 'abc'],
  // is_archived
  ['is_archived = true', 'f'],
  ['is_archived != true', but('f')],
  ['is_archived = (true OR false)', all],
  ['is_archived = null', ''],
  // custom fields
  ['custom_fields.points = 5', 'bc'],
  ['custom_fields.points = "5"', 'c'],
  ['custom_fields.points = 5.0', 'b'],
  ['custom_fields.points != 5', but('bc')],
  ['custom_fields.points = 0.1', 'e'],
  ['custom_fields.points = 1e21', 'f'],
  ['custom_fields.points = 9007199254740991', 'i'],
  ['custom_fields.points > 3', 'bfi'],
  ['custom_fields.points >= 3', 'abfi'],
  ['custom_fields.points < 0.1', 'd'],
  ['custom_fields.points <= -2.5', 'd'],
  ['custom_fields.points > "4"', 'cl'],
  ['custom_fields.points >= abc', 'l'],
  ['custom_fields.points = false', 'k'],
  ['custom_fields.points = ""', 'j'],
  ['custom_fields.points = null', 'gh'],
  ['custom_fields.points:*', but('gh')],
  ['NOT custom_fields.points > 3', but('bfi')],
  ['custom_fields.points:3', 'am'],
  ['custom_fields.points:"3"', 'm'],
  ['custom_fields.points:B', 'l'],
  ['custom_fields.points:5', 'bc'],
  ['custom_fields.billable = true', 'ad'],
  ['custom_fields.billable:true', 'ad'],
  ['custom_fields.billable = "true"', 'd'],
  ['custom_fields.billable != true', but('ad')],
  ['custom_fields.city:zürich', 'ab'],
  ['custom_fields.city:"ZÜRICH w"', 'b'],
  ['custom_fields.city = Zürich', 'a'],
  ['custom_fields.city:женева', 'g'],
  ['custom_fields.city:E', 'bc'],
  ['custom_fields.city = "null"', 'e'],
  ['custom_fields.city:null', ''],
  ['custom_fields.tags:red', 'a'],
  ['custom_fields.tags:blue', ''],
  ['custom_fields.tags:5', 'b'],
  ['custom_fields.tags:😀', 'k'],
  ['custom_fields.tags = red', ''],
  ['custom_fields.tags != null', 'abdk'],
  ['custom_fields.version < "1.9"', 'e'],
  ['custom_fields.version > "\uFF5E"', 'm'],
  ['custom_fields.nosuch = null', all],
  ['custom_fields.nosuch:x', ''],
  // together
  ['report priority = urgent OR status = done', 'bf'],
  ['(report priority = urgent) OR status = done', 'bcfh'],
  ['NOT (report OR due_at = null)', 'dijkl'],
  ['NOT (assignee = usr_1 AND due_at > 2000)', all],
  ["'; DROP TABLE tasks; --'", ''],
]

for (const engine of engines) {
  for (const [filter, ids] of found) {
    test(`on ${engine.dialect} the filter ${filter} finds ${ids || 'nothing'}`, async () => {
      assert.equal(await find(engine, read(filter)), ids)
      assert.equal(await find(engine, { kind: 'not', operand: read(filter) }), but(ids))
    })
  }

  test(`on ${engine.dialect} filters of every allowed size run`, async () => {
    const letters = Array.from({ length: 1900 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')
    assert.equal(await find(engine, read(`custom_fields.city:"${letters.replace('\u{38b}', '')}"`)), '')
    const deep = `${'NOT ('.repeat(8)}${'custom_fields.points > 3 '.repeat(49)}${')'.repeat(8)}`
    assert.equal(await find(engine, read(deep)), 'bfi')
  })
}

test('a comparison of a time, an id, a status or a rank uses an index', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`create table tasks (realm, ${columns.join()})`)
  for (const column of ['due_at', 'assignee', '"key"', 'priority_rank']) {
    db.exec(`create index "by ${column.replaceAll('"', '')}" on tasks (realm, ${column}, id)`)
  }
  const plan = (filter: string) => {
    const query = builder('sqlite').selectFrom('tasks').select('id').where('realm', '=', 1)
    const { sql, parameters } = query.where(filterToSql(read(filter), 'sqlite')).compile()
    const steps = db.prepare(`explain query plan ${sql}`).all(...(parameters as Value[]))
    return steps.map((step) => step.detail).join('; ')
  }
  assert.match(plan('due_at = 5'), /by due_at \(realm=\? AND due_at>\? AND due_at<\?\)/)
  assert.match(plan('due_at < 5'), /by due_at \(realm=\? AND due_at[>?=< AND]*due_at<\?\)/)
  assert.match(plan('assignee = usr_1 report'), /by assignee \(realm=\? AND assignee=\?\)/)
  assert.match(plan('assignee = null'), /by assignee \(realm=\? AND assignee=\?\)/)
  assert.match(plan('key = KEP-4'), /by key \(realm=\? AND key=\?\)/)
  assert.match(plan('priority >= high'), /by priority_rank \(realm=\? AND priority_rank>\?\)/)
})
