/**
 * EVERY difference between the two engines that a query can see, each with its reason. What is not here is the same
 * on both: ids and JSON are text, times and flags integers, paging is by key.
 */
import { type RawBuilder, sql } from 'kysely'

export type Dialect = 'sqlite' | 'postgres'

/**
 * `column` is one of the strings in the JSON array bound as `list`: neither engine can bind a list of varying length
 * to one cached statement, and they spell the unfolding of a JSON array differently.
 */
export function isOneOf(dialect: Dialect, column: string, list: unknown): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql<boolean>`${sql.ref(column)} = any(select json_array_elements_text(${list}::json))`
}

/**
 * `columns` of the rows of `inner` that satisfy `on`, looked up for each row of `outer` alone: the step of a recursion.
 * Left to choose, either engine may scan all of `inner` at every step. SQLite keeps the order of a CROSS JOIN;
 * PostgreSQL does not, but looks into a lateral subquery that OFFSET 0 keeps whole.
 */
export function selectForEach(
  dialect: Dialect,
  step: Readonly<Record<'columns' | 'outer' | 'inner' | 'on', RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const { columns, outer, inner, on } = step
  return dialect === 'sqlite'
    ? sql`select ${columns} from ${outer} cross join ${inner} where ${on}`
    : sql`select matched.* from ${outer} cross join lateral (select ${columns} from ${inner} where ${on} offset 0) matched`
}

/**
 * The data definition of a table for one engine. PostgreSQL compares text by the database's locale unless told
 * otherwise, SQLite by bytes: `collate "C"` makes both compare by code point.
 */
export function dataDefinition(dialect: Dialect, text: string): string[] {
  const statements = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return dialect === 'sqlite' ? statements : statements.map((part) => part.replace(/ text\b/g, ' text collate "C"'))
}
