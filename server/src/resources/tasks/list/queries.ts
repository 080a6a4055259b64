/**
 * The SQL of task lists, counts and exports. Statements of plain parameters are compiled once per combination; only a
 * `filter` expression is compiled for each request.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { limits } from '../../../api/limits.ts'
import { type Dialect, isAmongFew, isOneOf, primaryIndex, readBy } from '../../../db/dialect.ts'
import {
  type ComposedPlaceholder,
  type ComposedValues,
  literal,
  onceQuery,
  type Query,
  shapedQuery,
  type Value,
} from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { millis } from '../../../lib/clock.ts'
import { columnsOf } from '../columns.ts'
import type { CheckedFilter } from '../filter/check.ts'
import { filterToSql, parentElsewhere } from '../filter/sql.ts'
import { fields } from '../task.ts'
import { textColumns } from '../task-text.ts'
import { type AccessPath, isTextPath } from './access-path.ts'
import type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './criteria.ts'
import { afterSql, orderBySql, type SortKey, sortColumns, sortText } from './sort.ts'

export type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './criteria.ts'

/** A condition: what identifies its SQL text, the values to bind, and the text. */
export interface SqlCondition {
  readonly shape: string
  readonly values: ComposedValues
  sql(bind: ComposedPlaceholder, dialect: Dialect): RawBuilder<SqlBool>
}

/** `priority_rank` is for cursors. */
const shown_columns = [...columnsOf(fields), 'priority_rank']

/**
 * A page of tasks in one statement; it defines the result of every list. Without an index for the order, or past many rows
 * that a filter excludes, its time grows with the number of tasks; `read.ts` avoids that.
 */
export function pageQuery(
  realm: number,
  criteria: TaskCriteria,
  page: TaskPage,
  shown: ShownColumns,
  few?: AccessPath,
): BoundQuery<SortableRow> {
  const restrictions = conditionsOf(realm, criteria)
  if (page.position !== null) restrictions.push(afterPosition(page, page.position))
  if (few !== undefined) restrictions.push(lookUpByPath(few))
  const shape = `page ${shown.shape} ${sortText(page.keys)} ${page.backwards} ${page.count}`
  return compose(restrictions, criteria.filter, shape, (where, _, dialect) => {
    const order = orderBySql(page.keys, page.backwards)
    const from = tasksFrom(dialect, few)
    return sql`select ${shown.columns} from ${from} where ${where} order by ${order} limit ${literal(page.count)}`
  })
}

/** The number of matching tasks. */
export function countQuery(realm: number, criteria: TaskCriteria, few?: AccessPath): BoundQuery<{ count: number }> {
  const restrictions = conditionsOf(realm, criteria)
  if (few !== undefined) restrictions.push(lookUpByPath(few))
  return compose(restrictions, criteria.filter, 'count', (where, _, dialect) => {
    return sql`select count(*) as count from ${tasksFrom(dialect, few)} where ${where}`
  })
}

/** The selected columns. */
export interface ShownColumns {
  readonly shape: string
  readonly columns: RawBuilder<unknown>
}

/** The columns of a `ShownTaskRow`. */
export const shownAsRows: ShownColumns = {
  shape: 'rows',
  columns: sql.join(shown_columns.map((column) => sql.ref(`tasks.${column}`))),
}

/** The columns of a `TaskTextRow` and the sort columns of the keys. */
export function shownAsTexts(keys: readonly SortKey[]): ShownColumns {
  const placing = sortColumns(keys).map(({ column }) => column)
  return {
    shape: `texts ${placing.join()}`,
    columns: sql`${sql.join(placing.map((column) => sql.ref(`tasks.${column}`)))}, ${textColumns}`,
  }
}

export interface BoundQuery<Row> {
  readonly query: Query<Row, ComposedValues>
  readonly values: ComposedValues
}

/** Composes a statement of conditions and filter. `shape` identifies everything else that varies in its text. */
export function compose<Row>(
  restrictions: readonly SqlCondition[],
  filter: CheckedFilter | undefined,
  shape: string,
  text: (where: RawBuilder<SqlBool>, bind: ComposedPlaceholder, dialect: Dialect) => RawBuilder<Row>,
): BoundQuery<Row> {
  const values: Record<string, Value> = {}
  for (const restriction of restrictions) Object.assign(values, restriction.values)
  const build = (bind: ComposedPlaceholder, dialect: Dialect) => {
    const parts = restrictions.map((restriction) => restriction.sql(bind, dialect))
    if (filter !== undefined) parts.push(filterToSql(filter.condition, dialect))
    return text(sql<SqlBool>`${sql.join(parts, sql` and `)}`, bind, dialect)
  }
  if (filter !== undefined)
    return { query: onceQuery<Row, ComposedValues>((_, dialect, bind) => build(bind, dialect)), values }
  const shapes = restrictions.map((restriction) => restriction.shape).join(' ')
  return {
    query: shapedQuery<Row, ComposedValues>(`tasks ${shapes} ${shape}`, (_, bind, dialect) => build(bind, dialect)),
    values,
  }
}

/** Only the tasks of an access path, each looked up by id. */
function lookUpByPath(few: AccessPath): SqlCondition {
  return {
    shape: `few ${few.column} ${few.shape}`,
    values: few.values,
    sql(bind, dialect) {
      if (isTextPath(few)) return isAmongFew(dialect, 'tasks.id', few.lookUp(bind, dialect))
      const column = (name: string) => sql.ref(`few.${name}`)
      const id = few.table === 'tasks' ? column('id') : column('task')
      const from = few.index === null ? sql`task_terms as few` : readBy(dialect, sql`tasks as few`, few.index)
      const where = sql`few.realm = ${bind('realm')} and ${few.sql(column, bind, dialect, 'few')}`
      return isAmongFew(dialect, 'tasks.id', sql`select ${id} from ${from} where ${where}`)
    },
  }
}

function tasksFrom(dialect: Dialect, few: AccessPath | undefined): RawBuilder<unknown> {
  return few === undefined ? sql`tasks` : readBy(dialect, sql`tasks`, primaryIndex('tasks'))
}

/** All conditions of the criteria except the filter. */
export function conditionsOf(realm: number, criteria: TaskCriteria): SqlCondition[] {
  const { workspace, project, status, assignee, due_before, is_archived, filter, level, parent, seen } = criteria
  const restrictions = [equal('realm', realm), live]
  if (workspace !== undefined) restrictions.push(equal('workspace', workspace))
  if (project !== undefined) restrictions.push(oneOf('project', project, true))
  if (status !== undefined) restrictions.push(oneOf('status', status, false))
  if (assignee !== undefined) restrictions.push(oneOf('assignee', assignee, true))
  if (parent === 'null' && seen !== undefined) restrictions.push(withoutSeenParent(seen))
  else if (parent !== undefined) restrictions.push(oneOf('parent', [parent], true))
  if (due_before !== undefined) restrictions.push(dueBefore(due_before))
  if (is_archived !== undefined) restrictions.push(archived(is_archived ? 1 : 0))
  else if (filter === undefined || !filter.names_is_archived) restrictions.push(archived(0))
  if (level !== undefined) restrictions.push(levelCondition(level))
  if (seen !== undefined) restrictions.push(seenCondition(seen))
  return restrictions
}

const live: SqlCondition = { shape: 'live', values: {}, sql: () => sql<SqlBool>`${ref('deleted_at')} is null` }

/** A literal: the partial index of archived tasks does not match a bound value. */
function archived(value: 0 | 1): SqlCondition {
  return { shape: `archived${value}`, values: {}, sql: () => sql<SqlBool>`${ref('is_archived')} = ${literal(value)}` }
}

function seenCondition(projects: readonly string[]): SqlCondition {
  const values = { seen: JSON.stringify(projects) }
  return { shape: 'seen', values, sql: (bind, dialect) => isOneOf(dialect, 'tasks.project', bind('seen')) }
}

function withoutSeenParent(projects: readonly string[]): SqlCondition {
  const values = { seen: JSON.stringify(projects) }
  return { shape: 'no seen parent', values, sql: (bind, dialect) => parentElsewhere(dialect, bind('seen')) }
}

function levelCondition({ column, value }: NonNullable<TaskCriteria['level']>): SqlCondition {
  if (value === null) return { shape: `level ${column}0`, values: {}, sql: () => sql<SqlBool>`${ref(column)} is null` }
  const values = { level: value }
  return { shape: `level ${column}`, values, sql: (bind) => sql<SqlBool>`${ref(column)} = ${bind('level')}` }
}

function ref(column: keyof TaskRow): RawBuilder<unknown> {
  return sql.ref(`tasks.${column}`)
}

function equal(column: keyof TaskRow, value: Value): SqlCondition {
  return { shape: column, values: { [column]: value }, sql: (bind) => sql<SqlBool>`${ref(column)} = ${bind(column)}` }
}

/** Repeated values mean OR (contract/06#repeated-parameters). */
function oneOf(column: keyof TaskRow, sent: readonly string[], isNullable: boolean): SqlCondition {
  const words = [...new Set(isNullable ? sent.filter((word) => word !== 'null') : sent)]
  const hasNull = words.length < sent.length && isNullable && sent.includes('null')
  if (words.length === 0) return { shape: `no ${column}`, values: {}, sql: () => sql<SqlBool>`${ref(column)} is null` }
  const one = words.length === 1
  const some: SqlCondition = {
    shape: one ? column : `${column}*`,
    values: { [column]: one ? (words[0] as string) : JSON.stringify(words) },
    sql: (bind, dialect) =>
      one ? sql<SqlBool>`${ref(column)} = ${bind(column)}` : isOneOf(dialect, `tasks.${column}`, bind(column)),
  }
  if (!hasNull) return some
  return {
    ...some,
    shape: `${some.shape}0`,
    sql: (bind, dialect) => sql<SqlBool>`(${some.sql(bind, dialect)} or ${ref(column)} is null)`,
  }
}

function dueBefore(due: number): SqlCondition {
  const values = { due_before: millis(Math.min(due, limits.stored_moment_seconds_max + 1)) }
  return { shape: 'due', values, sql: (bind) => sql<SqlBool>`${ref('due_at')} < ${bind('due_before')}` }
}

/** Rows after a position. Which values are null is part of the text. */
function afterPosition({ keys, backwards }: TaskPage, { id, values }: TaskPosition): SqlCondition {
  const bound: Record<string, Value> = { position_id: id }
  for (const [i, value] of values.entries()) bound[`position_${i}`] = value
  const nulls = values.map((value) => (value === null ? '0' : '1')).join('')
  return {
    shape: `behind${nulls}`,
    values: bound,
    sql: (bind) => {
      const given = values.map((value, i) => (value === null ? null : bind(`position_${i}`)))
      return afterSql(keys, given, bind('position_id') as string, backwards)
    },
  }
}
