/** Random filters over random tasks: every engine finds the tasks that a plain evaluation of contract/06#filter-comparisons finds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builder } from '../../../db/query.ts'
import { openEngines, type Value } from '../engines.test.ts'
import { type Condition, type CustomTest, readFilter } from './check.ts'
import { filterToSql, foldText } from './sql.ts'

let seed = 20_260_101
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

const texts = [
  '',
  'a',
  'A',
  'Ab',
  'b',
  'äB',
  'Ä',
  '5',
  '-1',
  '2.5',
  'true',
  'false',
  'null',
  '*',
  '%',
  "'",
  '"',
  '\uFF5E',
  '\u{1F600}',
]
const scalars = [...texts, 5, -1, 2.5, 0, 1e21, 1e-7, true, false]
const ids = [null, 'usr_a', 'usr_b', 'prj_a', 'col_a']
const times = [null, -1, 0, 999, 1000, 1999, 2000, 5000, 5999]
const ranks = ['none', 'low', 'medium', 'high', 'urgent']

type Custom = Record<string, string | number | boolean | string[]>
const some = () => Array.from({ length: below(3) }, () => one(texts))

const tasks = Array.from({ length: 120 }, (_, i) => {
  const custom: Custom = {}
  if (below(4) > 0) custom.x = below(4) === 0 ? some() : one(scalars)
  return {
    ...{ id: `tsk_${i}`, title: one(texts) + one(texts), description: below(3) ? one(texts) : null },
    ...{ status: one(['todo', 'done']), priority: one(ranks), key: one(['KEP-1', 'KEP-2']) },
    ...{
      assignee: one(ids),
      project: one(ids),
      column: one(ids),
      parent: one(ids),
      labels: some(),
      custom,
      is_archived: below(2),
    },
    ...{ created: one(times) ?? 1, updated: one(times) ?? 1, completed_at: one(times) },
    ...{ start_at: one(times), due_at: one(times) },
  }
})
type Task = (typeof tasks)[number]

const columns: [definition: string, value: (task: Task) => Value][] = [
  ['id text', (task) => task.id],
  ['title text', (task) => task.title],
  ['title_folded text', (task) => foldText(task.title)],
  ['description text', (task) => task.description],
  ['description_folded text', (task) => (task.description === null ? null : foldText(task.description))],
  ['status text', (task) => task.status],
  ['priority text', (task) => task.priority],
  ['priority_rank bigint', (task) => rankOf(task)],
  ['assignee text', (task) => task.assignee],
  ['project text', (task) => task.project],
  ['"column" text', (task) => task.column],
  ['parent text', (task) => task.parent],
  ['"key" text', (task) => task.key],
  ['labels text', (task) => JSON.stringify(task.labels)],
  ['custom_fields text', (task) => JSON.stringify(task.custom)],
  ['is_archived bigint', (task) => task.is_archived],
  ['created bigint', (task) => task.created],
  ['updated bigint', (task) => task.updated],
  ['start_at bigint', (task) => task.start_at],
  ['due_at bigint', (task) => task.due_at],
  ['completed_at bigint', (task) => task.completed_at],
]

function rankOf({ priority }: Task): number {
  return Math.max(0, ranks.indexOf(priority))
}

function ordered(order: number, comparator: string): boolean {
  if (order === 0) return comparator.includes('=')
  return comparator.startsWith(order < 0 ? '<' : '>')
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function holds(condition: Condition, task: Task): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.operands.every((operand) => holds(operand, task))
    case 'or':
      return condition.operands.some((operand) => holds(operand, task))
    case 'not':
      return !holds(condition.operand, task)
    case 'constant':
      return condition.holds
    case 'phrase':
      return [task.title, task.description ?? ''].some((text) => foldText(text).includes(foldText(condition.text)))
    case 'null':
      return task[condition.column] === null
    case 'equals':
      return task[condition.column] === condition.value
    case 'contains':
      return (
        task[condition.column] !== null && foldText(task[condition.column] ?? '').includes(foldText(condition.text))
      )
    case 'title_order':
      return ordered(byCodePoint(task.title, condition.value), condition.comparator)
    case 'rank':
      return ordered(rankOf(task) - condition.rank, condition.comparator)
    case 'time': {
      const time = task[condition.column]
      return time !== null && ofPeriod(Math.floor(time / 1000), condition)
    }
    case 'archived':
      return (task.is_archived === 1) === condition.value
    case 'label':
      return task.labels.includes(condition.value)
    case 'assigned':
      return task.assignee !== null && condition.users.includes(task.assignee)
    case 'unlabelled':
      return task.labels.length === 0
    case 'custom':
      return holdsOf(task.custom[condition.key], condition.test)
    case 'reference':
    case 'parent_elsewhere':
      throw new Error('neither a name nor the filter of a guest is generated')
  }
}

function ofPeriod(second: number, { comparator, from, until }: Condition & { kind: 'time' }): boolean {
  if (comparator === '=') return second >= from && second < until
  if (comparator === '<' || comparator === '>=') return second < from === (comparator === '<')
  return second >= until === (comparator === '>')
}

function holdsOf(found: Custom[string] | undefined, test: CustomTest): boolean {
  if (test.kind === 'absent') return found === undefined
  if (found === undefined) return false
  if (test.kind === 'order') {
    if (typeof found === 'number' && typeof test.value === 'number') return ordered(found - test.value, test.comparator)
    if (typeof found !== 'string' || typeof test.value !== 'string') return false
    return ordered(byCodePoint(found, test.value), test.comparator)
  }
  const { text, number, truth } = test.value
  if (typeof found === 'number') return found === number
  if (typeof found === 'boolean') return found === truth
  if (test.kind === 'equals') return found === text
  return typeof found === 'string' ? foldText(found).includes(foldText(text)) : found.includes(text)
}

const names =
  'title description status priority assignee project column labels key created start_at due_at completed_at'.split(' ')
const fields = [...names, 'is_archived', ...Array(5).fill('custom_fields.x'), 'custom_fields.y']
const words = [
  'a',
  'A',
  'Ä',
  'äb',
  '5',
  '-1',
  '2.5',
  '0',
  '1',
  '2',
  '1e21',
  '1e-7',
  'true',
  'false',
  'null',
  '*',
  'none',
  '1970-01-01',
  '1970-01-01T00:00:02Z',
  'now',
]

/** Values that are valid in one field only. */
const own: Readonly<Record<string, readonly string[]>> = {
  status: ['todo', 'done', 'blocked'],
  priority: ranks,
  assignee: ['usr_a', 'usr_b', 'none'],
  project: ['prj_a', 'prj_b', 'none'],
  column: ['col_a', 'none', 'null'],
  key: ['KEP-1', 'kep-2', 'KEP-3'],
}

/** Text of the grammar, sometimes with a value that the field refuses. */
function randomFilter(depth: number): string {
  const choice = below(depth > 0 ? 12 : 7)
  if (choice === 0) return JSON.stringify(one(texts))
  if (choice < 7) {
    const field = one(fields)
    const value = () => (own[field] ? one(own[field]) : below(3) === 0 ? JSON.stringify(one(texts)) : one(words))
    if (below(6) === 0) return `${field} IN (${Array.from({ length: 1 + below(3) }, value).join(', ')})`
    return `${field} ${one(['=', '!=', ':', '<', '<=', '>', '>='])} ${value()}`
  }
  const [left, right] = [randomFilter(depth - 1), randomFilter(depth - 1)]
  if (choice < 9) return `${one(['NOT ', '-'])}(${left})`
  return `(${left} ${one(['AND', 'OR', ''])} ${right})`
}

const engines = openEngines(
  columns.map(([definition]) => definition),
  tasks.map((task) => columns.map(([, value]) => value(task))),
)

for (const { dialect, rows } of engines) {
  test(`on ${dialect} random filters find the tasks that match them`, async () => {
    let found = 0
    for (let round = 0; round < 3000; round++) {
      const filter = randomFilter(3)
      const checked = readFilter(filter, 0)
      if (!checked.ok) continue
      const query = builder(dialect).selectFrom('tasks').select('id').where(filterToSql(checked.condition, dialect))
      const expected = tasks.filter((task) => holds(checked.condition, task)).map(({ id }) => id)
      const answered = (await rows(query.compile())).map((row) => row.id)
      assert.deepEqual(answered.sort(), expected.sort(), filter)
      if (expected.length > 0 && expected.length < tasks.length) found++
    }
    assert.ok(found > 500, `only ${found} filters matched some of the tasks`)
  })
}
