/**
 * The access paths of criteria: conditions that every selected task fulfils and that have an index. If one leads to few
 * tasks, those are looked up instead of scanning the order. Likely selective paths come first.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { limits } from '../../../api/limits.ts'
import { type Dialect, firstOf, isOneOf } from '../../../db/dialect.ts'
import { db_limits } from '../../../db/limits.ts'
import type { ComposedPlaceholder, Value } from '../../../db/query.ts'
import { millis } from '../../../lib/clock.ts'
import type { Condition } from '../filter/check.ts'
import { task_priorities } from '../task.ts'
import { customTerms, labelTerm } from '../terms.ts'
import type { TaskCriteria } from './criteria.ts'
import { type TextPath, textPathOf } from './text-path.ts'

type Ref = (column: string) => RawBuilder<unknown>

export type AccessPath = ColumnPath | TextPath

/** The rows with a value of a column, a label or a custom field. */
export interface ColumnPath {
  readonly table: 'tasks' | 'task_terms'
  /** The index in SQLite's INDEXED BY; null for the table's primary key. */
  readonly index: string | null
  /** The column, `term`, `archived` or `list`. */
  readonly column: string
  /** The rows have no value in the column. */
  readonly is_null?: true
  /** The index returns the rows in the order of this column. */
  readonly order: string | null
  /** Identifies everything that varies in the SQL text. */
  readonly shape: string
  readonly values: Readonly<Record<string, Value>>
  sql(ref: Ref, bind: ComposedPlaceholder, dialect: Dialect, table: string): RawBuilder<SqlBool>
}

/** The index of each column on (realm, column, id). */
export const indexes: Readonly<Record<string, string>> = {
  key: 'tasks_key',
  assignee: 'tasks_assignee',
  column: 'tasks_column',
  project: 'tasks_project',
  title: 'tasks_title',
  status: 'tasks_status',
  start_at: 'tasks_start',
  due_at: 'tasks_due',
  completed_at: 'tasks_completed',
  created: 'tasks_created',
  updated: 'tasks_updated',
  priority_rank: 'tasks_priority',
  position: 'tasks_position',
  workspace: 'tasks_workspace',
  parent: 'tasks_parent',
}

const preference = [
  'key',
  'parent',
  'term',
  'text',
  ...Object.keys(indexes).slice(1, 5),
  'archived',
  ...Object.keys(indexes).slice(5),
]

/** Whether a scan of the path returns tasks in id order. */
export function isInIdOrder(path: AccessPath): path is ColumnPath {
  return !isTextPath(path) && (path.order === 'id' || path.order === 'task')
}

/** A path of texts has its own look-up; an index scan cannot follow it. */
export function isTextPath(path: AccessPath): path is TextPath {
  return 'lookUp' in path
}

/** The access paths of criteria, at most `db_limits.list_access_paths_max`. */
export function accessPathsOf(criteria: TaskCriteria, realm: number, dialect: Dialect): AccessPath[] {
  const { workspace, project, status, assignee, due_before, is_archived, filter, level, parent } = criteria
  // The caller has already tried the other conditions.
  if (level !== undefined) return [equal(level.column, level.value)]
  const found: (AccessPath | null)[] = [
    anyOf('project', project, true),
    anyOf('status', status, false),
    anyOf('assignee', assignee, true),
    parent === undefined ? null : parentPath(parent === 'null' ? null : parent),
    ...(filter === undefined ? [] : conjuncts(filter.condition).map(pathOfCondition)),
  ]
  if (workspace !== undefined) found.push(equal('workspace', workspace))
  if (is_archived === true) found.push(archived)
  if (filter !== undefined) found.push(textPathOf(filter.condition, realm, dialect))
  if (due_before !== undefined)
    found.push(range('due_at', null, millis(Math.min(due_before, limits.stored_moment_seconds_max + 1))))
  return found
    .filter((path) => path !== null)
    .sort((a, b) => preference.indexOf(a.column) - preference.indexOf(b.column))
    .slice(0, db_limits.list_access_paths_max)
}

/** Rows with this value in the column; null for rows without one. */
function equal(column: string, value: Value): ColumnPath {
  const common = { table: 'tasks', index: indexes[column] as string, column, order: 'id' } as const
  if (value === null) {
    return {
      ...common,
      is_null: true,
      shape: `${column}0`,
      values: {},
      sql: (ref) => sql<SqlBool>`${ref(column)} is null`,
    }
  }
  return {
    ...common,
    shape: column,
    values: { narrow_0: value },
    sql: (ref, bind) => sql<SqlBool>`${ref(column)} = ${bind('narrow_0')}`,
  }
}

/** The index has only tasks with a parent. */
function parentPath(parent: string | null): AccessPath | null {
  return parent === null ? null : equal('parent', parent)
}

/** Repeated values mean OR; the word `null` selects rows without a value (contract/06#repeated-parameters). */
function anyOf(column: string, sent: readonly string[] | undefined, isNullable: boolean): ColumnPath | null {
  if (sent === undefined) return null
  const words = [...new Set(sent)]
  const hasNull = isNullable && words.includes('null')
  if (words.length === 1) return equal(column, hasNull ? null : (words[0] as string))
  // Values or null: SQLite does not use the index for this OR.
  if (hasNull) return null
  return oneOf('tasks', column, indexes[column] as string, words)
}

function oneOf(table: ColumnPath['table'], column: string, index: string | null, words: readonly string[]): ColumnPath {
  const values = { narrow_0: JSON.stringify(words) }
  const of = (_: Ref, bind: ComposedPlaceholder, dialect: Dialect, name: string) =>
    sql<SqlBool>`${isOneOf(dialect, `${name}.${column}`, bind('narrow_0'))}`
  return { table, index, column, order: null, shape: `${column}*`, values, sql: of }
}

/** Rows from one value, inclusive, to another, exclusive. */
function range(column: string, from: number | null, before: number | null): ColumnPath {
  const values = { ...(from === null ? {} : { narrow_0: from }), ...(before === null ? {} : { narrow_1: before }) }
  return {
    table: 'tasks',
    index: indexes[column] as string,
    column,
    order: column,
    shape: `${column}${from === null ? '' : '>'}${before === null ? '' : '<'}`,
    values,
    sql(ref, bind) {
      const parts = [sql`${ref(column)} is not null`]
      if (from !== null) parts.push(sql`${ref(column)} >= ${bind('narrow_0')}`)
      if (before !== null) parts.push(sql`${ref(column)} < ${bind('narrow_1')}`)
      return sql<SqlBool>`${sql.join(parts, sql` and `)}`
    },
  }
}

const archived: ColumnPath = {
  table: 'tasks',
  index: 'tasks_archived',
  column: 'archived',
  order: 'id',
  shape: 'archived',
  values: {},
  // A literal: the partial index does not match a bound value.
  sql: (ref) => sql<SqlBool>`${ref('is_archived')} = 1`,
}

function termsPath(terms: readonly string[]): ColumnPath {
  if (terms.length > 1) return oneOf('task_terms', 'term', null, terms)
  const of = (ref: Ref, bind: ComposedPlaceholder) => sql<SqlBool>`${ref('term')} = ${bind('narrow_0')}`
  const values = { narrow_0: terms[0] as string }
  return { table: 'task_terms', column: 'term', index: null, order: 'task', shape: 'term', values, sql: of }
}

/** A list (`shared/order.ts`) that criteria name, whose index has the order of positions, and the rest of the filter. */
export interface ListPath {
  readonly path: ColumnPath
  /** How many conditions name it. */
  readonly conditions: number
  readonly filter: TaskCriteria['filter']
}

/**
 * The list that the criteria name; null without one. The conditions that name it are left out of the filter: PostgreSQL would
 * expect far fewer tasks and not read the index in its order.
 */
export function listPathOf({ filter, level }: TaskCriteria): ListPath | null {
  if (filter === undefined || level !== undefined) return null
  const parts = conjuncts(filter.condition)
  const naming = new Set<Condition>()
  for (const column of list_columns) {
    const value = parts.find((part) => part.kind === 'equals' && part.column === column)
    const condition = value ?? parts.find((part) => part.kind === 'null' && part.column === column)
    if (condition === undefined) return null
    naming.add(condition)
    if (condition.kind !== 'equals') continue
    const operands = parts.filter((part) => !naming.has(part))
    const rest = operands.length === 0 ? undefined : { ...filter, condition: { kind: 'and', operands } as const }
    const path = { ...inList, values: { narrow_0: condition.value } }
    return { path, conditions: naming.size, filter: rest }
  }
  return null
}

/** A task stands in the list of the first of these that it has. */
const list_columns = ['column', 'project', 'workspace'] as const

const inList: Omit<ColumnPath, 'values'> = {
  table: 'tasks',
  index: 'tasks_order',
  column: 'list',
  order: 'position',
  shape: 'list',
  // The index has only tasks that are not deleted.
  sql: (ref, bind, dialect) =>
    sql<SqlBool>`${ref('deleted_at')} is null and ${firstOf(dialect, list_columns.map(ref))} = ${bind('narrow_0')}`,
}

function conjuncts(condition: Condition): Condition[] {
  return condition.kind === 'and' ? condition.operands.flatMap(conjuncts) : [condition]
}

function pathOfCondition(condition: Condition): ColumnPath | null {
  switch (condition.kind) {
    case 'equals':
      return condition.column in indexes ? equal(condition.column, condition.value) : null
    case 'null':
      if (condition.column === 'parent') return null
      return condition.column in indexes ? equal(condition.column, null) : null
    case 'archived':
      return condition.value ? archived : null
    case 'rank':
      return rankPath(condition.comparator, condition.rank)
    case 'time':
      return timePath(condition)
    case 'label':
    case 'custom':
      return conditionTermsPath(condition)
    case 'assigned':
      return oneOf('tasks', 'assignee', indexes.assignee as string, condition.users)
    case 'or':
      return alternativesPath(condition.operands)
    default:
      return null
  }
}

function rankPath(comparator: string, rank: number): ColumnPath {
  if (comparator === '=') return equal('priority_rank', rank)
  if (comparator === '<') return range('priority_rank', null, rank)
  if (comparator === '<=') return range('priority_rank', null, rank + 1)
  return range('priority_rank', comparator === '>' ? rank + 1 : rank, task_priorities.length)
}

function timePath({ column, comparator, from, until }: Condition & { kind: 'time' }): ColumnPath {
  const start = comparator === '>' ? until : comparator === '>=' || comparator === '=' ? from : null
  const end = comparator === '<' ? from : comparator === '<=' || comparator === '=' ? until : null
  return range(column, start === null ? null : start * 1000, end === null ? null : end * 1000)
}

function termsOfCondition(condition: Condition): readonly string[] | null {
  if (condition.kind === 'label') return [labelTerm(condition.value)]
  if (condition.kind !== 'custom' || condition.test.kind !== 'equals') return null
  return customTerms(condition.key, condition.test.value)
}

function conditionTermsPath(condition: Condition): ColumnPath | null {
  const terms = termsOfCondition(condition)
  return terms === null ? null : termsPath(terms)
}

/** Alternatives over several terms, or over several values of one column. */
function alternativesPath(operands: readonly Condition[]): ColumnPath | null {
  const terms = operands.map(termsOfCondition)
  if (terms.length > 0 && terms.every((each) => each !== null)) return termsPath([...new Set(terms.flat())])
  const [first] = operands
  if (first?.kind !== 'equals' || !(first.column in indexes)) return null
  const words: string[] = []
  for (const each of operands) {
    if (each.kind !== 'equals' || each.column !== first.column) return null
    words.push(each.value)
  }
  return oneOf('tasks', first.column, indexes[first.column] as string, [...new Set(words)])
}
