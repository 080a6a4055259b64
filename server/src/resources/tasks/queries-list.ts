/**
 * Which tasks a list, a count or an export asks for, as SQL. Plain restrictions are compiled once for each combination
 * of them; only a `filter` expression makes a text of its own (decisions §6).
 */
import { type Compilable, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isAmongFew, isOneOf, primaryIndex, readBy } from '../../db/dialect.ts'
import {
  type Builder,
  literal,
  onceQuery,
  type Placeholder,
  type Query,
  shapedQuery,
  type Value,
} from '../../db/query.ts'
import type { TaskRow } from '../../db/schema.ts'
import { millis } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import type { PlacedRow, TaskPosition, TaskQuestion, TaskWalk } from './asked.ts'
import type { CheckedFilter } from './filter/check.ts'
import { filterToSql } from './filter/sql.ts'
import type { Narrowing } from './narrow.ts'
import { afterSql, orderBySql, type SortKey, sortColumns, sortText } from './sort.ts'
import type { ShownTaskRow } from './task.ts'
import { textColumns } from './task-text.ts'

export type { PlacedRow, TaskPosition, TaskQuestion, TaskWalk } from './asked.ts'

/** One condition: what varies in its text, the values to bind, and the text. */
export interface Restriction {
  readonly shape: string
  readonly values: Readonly<Record<string, Value>>
  sql(bind: Placeholder, dialect: Dialect): RawBuilder<SqlBool>
}

const shown_columns = [
  ...(['id', 'created', 'updated', 'revision', 'workspace', 'number', 'key', 'project'] as const),
  ...(['column', 'title', 'description', 'status', 'priority', 'priority_rank', 'assignee', 'creator_type'] as const),
  ...(['creator_id', 'due_at', 'completed_at', 'is_archived', 'labels', 'custom_fields', 'position'] as const),
  'template',
] as const satisfies readonly (keyof ShownTaskRow)[]

/**
 * A page of tasks in one statement: the meaning of every list, and all that a small answer needs. Along an order that no
 * index has, or past many rows that a filter refuses, it takes as long as there are tasks: `queries-page.ts`.
 */
export function pageQuery(
  realm: number,
  question: TaskQuestion,
  walk: TaskWalk,
  shown: Shown,
  few?: Narrowing,
): Asked<PlacedRow> {
  const restrictions = restrictionsOf(realm, question)
  if (walk.position !== null) restrictions.push(behind(walk, walk.position))
  if (few !== undefined) restrictions.push(amongFew(few))
  const shape = `page ${shown.shape} ${sortText(walk.keys)} ${walk.backwards} ${walk.count}`
  return compose(restrictions, question.filter, shape, (where, _, dialect) => {
    const order = orderBySql(walk.keys, walk.backwards)
    const from = tasksFrom(dialect, few)
    return sql`select ${shown.columns} from ${from} where ${where} order by ${order} limit ${literal(walk.count)}`
  })
}

/** How many tasks there are. */
export function countQuery(realm: number, question: TaskQuestion, few?: Narrowing): Asked<{ count: number }> {
  const restrictions = restrictionsOf(realm, question)
  if (few !== undefined) restrictions.push(amongFew(few))
  return compose(restrictions, question.filter, 'count', (where, _, dialect) => {
    return sql`select count(*) as count from ${tasksFrom(dialect, few)} where ${where}`
  })
}

/** What a SELECT shows of a task. */
export interface Shown {
  readonly shape: string
  readonly columns: RawBuilder<unknown>
}

/** The columns of a `ShownTaskRow`. */
export const shownAsRows: Shown = {
  shape: 'rows',
  columns: sql.join(shown_columns.map((column) => sql.ref(`tasks.${column}`))),
}

/** The columns of a `TaskTextRow`, with those that the order of the keys is read from. */
export function shownAsTexts(keys: readonly SortKey[]): Shown {
  const placing = sortColumns(keys).map(({ column }) => column)
  return {
    shape: `texts ${placing.join()}`,
    columns: sql`${sql.join(placing.map((column) => sql.ref(`tasks.${column}`)))}, ${textColumns}`,
  }
}

export interface Asked<Row> {
  readonly query: Query<Row>
  readonly values: Readonly<Record<string, Value>>
}

/** A statement of these restrictions and the filter; `shape` names all that varies in what `text` makes besides. */
export function compose<Row>(
  restrictions: readonly Restriction[],
  filter: CheckedFilter | undefined,
  shape: string,
  text: (where: RawBuilder<SqlBool>, bind: Placeholder, dialect: Dialect) => RawBuilder<unknown>,
): Asked<Row> {
  const values: Record<string, Value> = {}
  for (const restriction of restrictions) Object.assign(values, restriction.values)
  const build = (db: Builder, bind: Placeholder, dialect: Dialect) => {
    const parts = restrictions.map((restriction) => restriction.sql(bind, dialect))
    if (filter !== undefined) parts.push(filterToSql(filter.condition, dialect))
    const whole = text(sql<SqlBool>`${sql.join(parts, sql` and `)}`, bind, dialect)
    return { compile: () => whole.compile(db) } as Compilable<Row>
  }
  if (filter !== undefined) return { query: onceQuery((db, dialect, bind) => build(db, bind, dialect)), values }
  const shapes = restrictions.map((restriction) => restriction.shape).join(' ')
  return { query: shapedQuery<Row>(`tasks ${shapes} ${shape}`, build), values }
}

/** Only the tasks that a narrowing leads to, each looked up by its id. */
function amongFew(few: Narrowing): Restriction {
  return {
    shape: `few ${few.table} ${few.shape}`,
    values: few.values,
    sql(bind, dialect) {
      const column = (name: string) => sql.ref(`few.${name}`)
      const id = few.table === 'tasks' ? column('id') : column('task')
      const from = few.index === null ? sql`task_terms as few` : readBy(dialect, sql`tasks as few`, few.index)
      const where = sql`few.realm = ${bind('realm')} and ${few.sql(column, bind, dialect, 'few')}`
      return isAmongFew(dialect, 'tasks.id', sql`select ${id} from ${from} where ${where}`)
    },
  }
}

function tasksFrom(dialect: Dialect, few: Narrowing | undefined): RawBuilder<unknown> {
  return few === undefined ? sql`tasks` : readBy(dialect, sql`tasks`, primaryIndex('tasks'))
}

/** Every condition of a question but its filter. */
export function restrictionsOf(realm: number, question: TaskQuestion): Restriction[] {
  const { workspace, project, status, assignee, due_before, is_archived, filter, level } = question
  const restrictions = [equal('realm', realm), live]
  if (workspace !== undefined) restrictions.push(equal('workspace', workspace))
  if (project !== undefined) restrictions.push(oneOf('project', project, true))
  if (status !== undefined) restrictions.push(oneOf('status', status, false))
  if (assignee !== undefined) restrictions.push(oneOf('assignee', assignee, true))
  if (due_before !== undefined) restrictions.push(dueBefore(due_before))
  if (is_archived !== undefined) restrictions.push(archived(is_archived ? 1 : 0))
  else if (filter === undefined || !filter.names_is_archived) restrictions.push(archived(0))
  if (level !== undefined) restrictions.push(levelWith(level))
  return restrictions
}

const live: Restriction = { shape: 'live', values: {}, sql: () => sql<SqlBool>`${ref('deleted_at')} is null` }

/** In the text: the index of the archived ones is found by no bound value. */
function archived(value: 0 | 1): Restriction {
  return { shape: `archived${value}`, values: {}, sql: () => sql<SqlBool>`${ref('is_archived')} = ${literal(value)}` }
}

function levelWith({ column, value }: NonNullable<TaskQuestion['level']>): Restriction {
  if (value === null) return { shape: `level ${column}0`, values: {}, sql: () => sql<SqlBool>`${ref(column)} is null` }
  const values = { level: value }
  return { shape: `level ${column}`, values, sql: (bind) => sql<SqlBool>`${ref(column)} = ${bind('level')}` }
}

function ref(column: keyof TaskRow): RawBuilder<unknown> {
  return sql.ref(`tasks.${column}`)
}

function equal(column: keyof TaskRow, value: Value): Restriction {
  return { shape: column, values: { [column]: value }, sql: (bind) => sql<SqlBool>`${ref(column)} = ${bind(column)}` }
}

/** Repeating a parameter means OR (contract §4.1). */
function oneOf(column: keyof TaskRow, sent: readonly string[], isNullable: boolean): Restriction {
  const words = [...new Set(isNullable ? sent.filter((word) => word !== 'null') : sent)]
  const hasNull = words.length < sent.length && isNullable && sent.includes('null')
  if (words.length === 0) return { shape: `no ${column}`, values: {}, sql: () => sql<SqlBool>`${ref(column)} is null` }
  const one = words.length === 1
  const some: Restriction = {
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

function dueBefore(due: number): Restriction {
  const values = { due_before: millis(Math.min(due, limits.moment_seconds_max + 1)) }
  return { shape: 'due', values, sql: (bind) => sql<SqlBool>`${ref('due_at')} < ${bind('due_before')}` }
}

/** Behind a position; which of its values are null is part of the text. */
function behind({ keys, backwards }: TaskWalk, { id, values }: TaskPosition): Restriction {
  const bound: Record<string, Value> = { position_id: id }
  for (const [i, value] of values.entries()) bound[`position_${i}`] = value
  const nulls = values.map((value) => (value === null ? '0' : '1')).join('')
  return {
    shape: `behind${nulls}`,
    values: bound,
    sql: (bind) => {
      const given = values.map((value, i) => (value === null ? null : bind(`position_${i}`)))
      return afterSql(keys, given, bind('position_id'), backwards)
    },
  }
}
