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
 * A table read through an index that the caller knows to be right because it looked. SQLite knows nothing of how often a
 * value occurs, and would be told nothing; PostgreSQL keeps statistics and chooses well.
 */
export function readBy(dialect: Dialect, table: RawBuilder<unknown>, index: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`${table} indexed by ${sql.ref(index)}` : table
}

/** The name of the index that SQLite makes for a table's primary key. */
export function primaryIndex(table: string): string {
  return `sqlite_autoindex_${table}_1`
}

/**
 * `column` is one of the few values of a subquery, each looked up. PostgreSQL might join with it instead and walk along
 * an order of all rows; it takes an array for few.
 */
export function isAmongFew(dialect: Dialect, column: string, subquery: RawBuilder<unknown>): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (${subquery})`
    : sql<boolean>`${sql.ref(column)} = any(array(${subquery}))`
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
