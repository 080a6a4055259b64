/**
 * Which tasks a list, a count or an export asks for, as SQL. Plain restrictions are compiled once for each combination
 * of them; only a `filter` expression makes a text of its own (decisions §6).
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isOneOf } from '../../db/dialect.ts'
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
import type { CheckedFilter } from './filter/check.ts'
import { filterToSql } from './filter/sql.ts'
import { afterSql, orderBySql, type SortKey, type SortValue, sortText } from './sort.ts'
import type { ShownTaskRow } from './task.ts'

/** The tasks asked for. In `project` and `assignee` the word `null` stands for tasks without one. */
export interface TaskQuestion {
  readonly workspace?: string | undefined
  readonly project?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
  readonly assignee?: readonly string[] | undefined
  /** Unix seconds, exclusive. */
  readonly due_before?: number | undefined
  /** Without it active tasks only, unless the filter speaks of it. */
  readonly is_archived?: boolean | undefined
  readonly filter?: CheckedFilter | undefined
}

/** Where a page starts: strictly behind this place, in the order of the keys. */
export interface TaskPosition {
  readonly id: string
  readonly values: readonly SortValue[]
}

/** The order of a page and how far it goes. */
export interface TaskWalk {
  /** None: by id, newest first. */
  readonly keys: readonly SortKey[]
  readonly backwards: boolean
  readonly position: TaskPosition | null
  readonly count: number
}

/** One condition: what varies in its text, the values to bind, and the text. */
interface Restriction {
  readonly shape: string
  readonly values: Readonly<Record<string, Value>>
  sql(bind: Placeholder, dialect: Dialect): RawBuilder<SqlBool>
}

const shown_columns = [
  ...([
    'realm',
    'id',
    'created',
    'updated',
    'revision',
    'deleted_at',
    'workspace',
    'number',
    'key',
    'project',
  ] as const),
  ...(['column', 'title', 'description', 'status', 'priority', 'priority_rank', 'assignee', 'creator_type'] as const),
  ...(['creator_id', 'due_at', 'completed_at', 'is_archived', 'labels', 'custom_fields', 'position'] as const),
  'template',
] as const satisfies readonly (keyof ShownTaskRow)[]

/** A page of tasks; one row more than a page shows tells whether there are more. */
export function pageQuery(realm: number, question: TaskQuestion, walk: TaskWalk) {
  const restrictions = restrictionsOf(realm, question)
  if (walk.position !== null) restrictions.push(behind(walk, walk.position))
  const shape = `page ${sortText(walk.keys)} ${walk.backwards} ${walk.count}`
  return compose(restrictions, question.filter, shape, (db) =>
    db
      .selectFrom('tasks')
      .select(shown_columns)
      .orderBy(orderBySql(walk.keys, walk.backwards) as never)
      .limit(literal(walk.count)),
  ) as Asked<ShownTaskRow>
}

/** How many tasks there are. */
export function countQuery(realm: number, question: TaskQuestion) {
  return compose(restrictionsOf(realm, question), question.filter, 'count', (db) =>
    db.selectFrom('tasks').select((select) => select.fn.countAll().as('count')),
  ) as Asked<{ count: number }>
}

interface Asked<Row> {
  readonly query: Query<Row>
  readonly values: Readonly<Record<string, Value>>
}

interface Filterable {
  where(condition: RawBuilder<SqlBool>): Filterable
}

function compose(
  restrictions: readonly Restriction[],
  filter: CheckedFilter | undefined,
  shape: string,
  start: (db: Builder) => unknown,
): Asked<unknown> {
  const values: Record<string, Value> = {}
  for (const restriction of restrictions) Object.assign(values, restriction.values)
  const build = (db: Builder, bind: Placeholder, dialect: Dialect) => {
    let select = start(db) as Filterable
    for (const restriction of restrictions) select = select.where(restriction.sql(bind, dialect))
    if (filter !== undefined) select = select.where(filterToSql(filter.condition, dialect))
    return select as never
  }
  if (filter !== undefined) {
    const bind: Placeholder = (name) => values[name] as never
    return { query: onceQuery((db, dialect) => build(db, bind, dialect)), values }
  }
  const shapes = restrictions.map((restriction) => restriction.shape).join(' ')
  return { query: shapedQuery(`tasks ${shapes} ${shape}`, build), values }
}

function restrictionsOf(realm: number, question: TaskQuestion): Restriction[] {
  const { workspace, project, status, assignee, due_before, is_archived, filter } = question
  const restrictions = [equal('realm', realm), live]
  if (workspace !== undefined) restrictions.push(equal('workspace', workspace))
  if (project !== undefined) restrictions.push(oneOf('project', project, true))
  if (status !== undefined) restrictions.push(oneOf('status', status, false))
  if (assignee !== undefined) restrictions.push(oneOf('assignee', assignee, true))
  if (due_before !== undefined) restrictions.push(dueBefore(due_before))
  if (is_archived !== undefined) restrictions.push(equal('is_archived', is_archived ? 1 : 0))
  else if (filter === undefined || !filter.names_is_archived) restrictions.push(equal('is_archived', 0))
  return restrictions
}

const live: Restriction = { shape: 'live', values: {}, sql: () => sql<SqlBool>`${ref('deleted_at')} is null` }

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
