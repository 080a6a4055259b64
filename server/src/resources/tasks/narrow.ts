/**
 * Which conditions of a question an index of its own leads to. Each is one that every task of the answer fulfils, so that
 * the few it leads to can be read instead of walking along the order. Better ones come first.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isOneOf } from '../../db/dialect.ts'
import type { Placeholder, Value } from '../../db/query.ts'
import { millis } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import type { TaskQuestion } from './asked.ts'
import type { Condition } from './filter/check.ts'
import { task_priorities } from './task.ts'
import { customTerms, labelTerm } from './terms.ts'

type Ref = (column: string) => RawBuilder<unknown>

export interface Narrowing {
  readonly table: 'tasks' | 'task_terms'
  /** By this index SQLite finds the rows; none: by the table itself. */
  readonly index: string | null
  /** The column, or `archived`. */
  readonly on: string
  /** Its rows have no value there. */
  readonly of_null?: true
  /** The index has the rows in the order of this column of `table`. */
  readonly order: string | null
  /** Names all that varies in the text. */
  readonly shape: string
  readonly values: Readonly<Record<string, Value>>
  sql(ref: Ref, bind: Placeholder, dialect: Dialect, table: string): RawBuilder<SqlBool>
}

/** The index of each column that begins with the realm and ends with the id. */
export const indexes: Readonly<Record<string, string>> = {
  key: 'tasks_key',
  assignee: 'tasks_assignee',
  column: 'tasks_column',
  project: 'tasks_project',
  title: 'tasks_title',
  status: 'tasks_status',
  due_at: 'tasks_due',
  completed_at: 'tasks_completed',
  created: 'tasks_created',
  updated: 'tasks_updated',
  priority_rank: 'tasks_priority',
  position: 'tasks_position',
  workspace: 'tasks_workspace',
}

const preference = ['key', 'term', ...Object.keys(indexes).slice(1, 5), 'archived', ...Object.keys(indexes).slice(5)]

/** Whether walking along it shows the tasks in the order of their ids. */
export function isById({ order }: Narrowing): boolean {
  return order === 'id' || order === 'task'
}

/** The narrowings of a question, at most `limits.list_narrowings_max` of them. */
export function narrowingsOf(question: TaskQuestion): Narrowing[] {
  const { workspace, project, status, assignee, due_before, is_archived, filter, level } = question
  // Of a list whose other conditions were looked at before.
  if (level !== undefined) return [equal(level.column, level.value)]
  const found: (Narrowing | null)[] = [
    among('project', project, true),
    among('status', status, false),
    among('assignee', assignee, true),
    ...(filter === undefined ? [] : conjuncts(filter.condition).map(ofCondition)),
  ]
  if (workspace !== undefined) found.push(equal('workspace', workspace))
  if (is_archived === true) found.push(archived)
  if (due_before !== undefined)
    found.push(range('due_at', null, millis(Math.min(due_before, limits.moment_seconds_max + 1))))
  return found
    .filter((narrowing) => narrowing !== null)
    .sort((a, b) => preference.indexOf(a.on) - preference.indexOf(b.on))
    .slice(0, limits.list_narrowings_max)
}

/** The rows whose column has one value, `null` for none. */
export function equal(on: string, value: Value): Narrowing {
  const common = { table: 'tasks', index: indexes[on] as string, on, order: 'id' } as const
  if (value === null) {
    return { ...common, of_null: true, shape: `${on}0`, values: {}, sql: (ref) => sql<SqlBool>`${ref(on)} is null` }
  }
  return {
    ...common,
    shape: on,
    values: { narrow_0: value },
    sql: (ref, bind) => sql<SqlBool>`${ref(on)} = ${bind('narrow_0')}`,
  }
}

/** Repeating a parameter means OR (contract §4.1); the word `null` stands for none where there can be none. */
function among(on: string, sent: readonly string[] | undefined, isNullable: boolean): Narrowing | null {
  if (sent === undefined) return null
  const words = [...new Set(sent)]
  const hasNull = isNullable && words.includes('null')
  if (words.length === 1) return equal(on, hasNull ? null : (words[0] as string))
  // Two ranges of the index: better than one, but in no order, and SQLite takes them for none.
  if (hasNull) return null
  return oneOf('tasks', on, indexes[on] as string, words)
}

function oneOf(table: Narrowing['table'], on: string, index: string | null, words: readonly string[]): Narrowing {
  const values = { narrow_0: JSON.stringify(words) }
  const of = (_: Ref, bind: Placeholder, dialect: Dialect, name: string) =>
    sql<SqlBool>`${isOneOf(dialect, `${name}.${on}`, bind('narrow_0'))}`
  return { table, index, on, order: null, shape: `${on}*`, values, sql: of }
}

/** From one value on and before another. */
function range(on: string, from: number | null, before: number | null): Narrowing {
  const values = { ...(from === null ? {} : { narrow_0: from }), ...(before === null ? {} : { narrow_1: before }) }
  return {
    table: 'tasks',
    index: indexes[on] as string,
    on,
    order: on,
    shape: `${on}${from === null ? '' : '>'}${before === null ? '' : '<'}`,
    values,
    sql(ref, bind) {
      const parts = [sql`${ref(on)} is not null`]
      if (from !== null) parts.push(sql`${ref(on)} >= ${bind('narrow_0')}`)
      if (before !== null) parts.push(sql`${ref(on)} < ${bind('narrow_1')}`)
      return sql<SqlBool>`${sql.join(parts, sql` and `)}`
    },
  }
}

const archived: Narrowing = {
  table: 'tasks',
  index: 'tasks_archived',
  on: 'archived',
  order: 'id',
  shape: 'archived',
  values: {},
  // In the text: the index is of these rows only, and found by no bound value.
  sql: (ref) => sql<SqlBool>`${ref('is_archived')} = 1`,
}

function ofTerms(terms: readonly string[]): Narrowing {
  if (terms.length > 1) return oneOf('task_terms', 'term', null, terms)
  const of = (ref: Ref, bind: Placeholder) => sql<SqlBool>`${ref('term')} = ${bind('narrow_0')}`
  const values = { narrow_0: terms[0] as string }
  return { table: 'task_terms', on: 'term', index: null, order: 'task', shape: 'term', values, sql: of }
}

function conjuncts(condition: Condition): Condition[] {
  return condition.kind === 'and' ? condition.operands.flatMap(conjuncts) : [condition]
}

function ofCondition(condition: Condition): Narrowing | null {
  switch (condition.kind) {
    case 'equals':
      return condition.column in indexes ? equal(condition.column, condition.value) : null
    case 'null':
      return condition.column in indexes ? equal(condition.column, null) : null
    case 'archived':
      return condition.value ? archived : null
    case 'rank':
      return ofRank(condition.comparator, condition.rank)
    case 'time':
      return ofTime(condition)
    case 'label':
    case 'custom':
      return ofTermsOrNull(condition)
    case 'or':
      return ofEither(condition.operands)
    default:
      return null
  }
}

function ofRank(comparator: string, rank: number): Narrowing {
  if (comparator === '=') return equal('priority_rank', rank)
  if (comparator === '<') return range('priority_rank', null, rank)
  if (comparator === '<=') return range('priority_rank', null, rank + 1)
  return range('priority_rank', comparator === '>' ? rank + 1 : rank, task_priorities.length)
}

function ofTime({ column, comparator, seconds }: Condition & { kind: 'time' }): Narrowing {
  const from = comparator === '>' ? seconds + 1 : comparator === '>=' || comparator === '=' ? seconds : null
  const before = comparator === '<' ? seconds : comparator === '<=' || comparator === '=' ? seconds + 1 : null
  return range(column, from === null ? null : from * 1000, before === null ? null : before * 1000)
}

function termsOfCondition(condition: Condition): readonly string[] | null {
  if (condition.kind === 'label') return [labelTerm(condition.value)]
  if (condition.kind !== 'custom' || condition.test.kind !== 'equals') return null
  return customTerms(condition.key, condition.test.value)
}

function ofTermsOrNull(condition: Condition): Narrowing | null {
  const terms = termsOfCondition(condition)
  return terms === null ? null : ofTerms(terms)
}

/** One of several terms, or one of several values of a column. */
function ofEither(operands: readonly Condition[]): Narrowing | null {
  const terms = operands.map(termsOfCondition)
  if (terms.length > 0 && terms.every((each) => each !== null)) return ofTerms([...new Set(terms.flat())])
  const [first] = operands
  if (first?.kind !== 'equals' || !(first.column in indexes)) return null
  const words: string[] = []
  for (const each of operands) {
    if (each.kind !== 'equals' || each.column !== first.column) return null
    words.push(each.value)
  }
  return oneOf('tasks', first.column, indexes[first.column] as string, [...new Set(words)])
}
