/**
 * EVERY difference between the two engines that a query can see, each with its reason. Everything else is the same on
 * both: ids and JSON are text, times and flags are integers, paging is by key.
 */
import { type RawBuilder, sql } from 'kysely'

export type Dialect = 'sqlite' | 'postgres'

/**
 * `column` is one of the strings in the JSON array bound as `list`. Neither engine can bind a list of varying length to
 * one cached statement, and each has its own function that unfolds a JSON array.
 */
export function isOneOf(dialect: Dialect, column: string | RawBuilder<string>, list: unknown): RawBuilder<boolean> {
  const value = typeof column === 'string' ? sql.ref(column) : column
  return dialect === 'sqlite'
    ? sql<boolean>`${value} in (select value from json_each(${list}))`
    : sql<boolean>`${value} = any(select json_array_elements_text(${list}::json))`
}

/**
 * The same for a part of a key: each string is looked up. With the text above, PostgreSQL may read all rows with the rest of the
 * key, whose number it took from statistics that are older than most rows.
 */
export function isOneOfKeys(dialect: Dialect, column: string, list: unknown): RawBuilder<boolean> {
  if (dialect === 'sqlite') return isOneOf(dialect, column, list)
  return sql<boolean>`${sql.ref(column)} = any(array(select json_array_elements_text(${list}::json)))`
}

/** The integers in the JSON array bound as `list`, as rows with the column `value`. */
export function integersOf(dialect: Dialect, list: unknown): RawBuilder<unknown> {
  return dialect === 'sqlite'
    ? sql`(select value from json_each(${list}))`
    : sql`(select value::bigint as value from json_array_elements_text(${list}::json))`
}

/** `isOneOf` if the flag bound as `condition` is 1; 0 accepts every row. */
export function isOneOfIf(dialect: Dialect, condition: unknown, column: string, list: unknown): RawBuilder<boolean> {
  return sql<boolean>`(${condition} = 0 or ${isOneOf(dialect, column, list)})`
}

/**
 * `columns` of the rows of `inner` that satisfy `on`, looked up separately for each row of `outer`: the step of a
 * recursion. By itself, either engine may scan all of `inner` at every step. SQLite keeps the order of a CROSS JOIN;
 * PostgreSQL does not, but it keeps a lateral subquery with OFFSET 0 as it is.
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
 * A table read through an index that the caller measured to be the right one. SQLite has no statistics on how often a
 * value occurs; PostgreSQL does and chooses well.
 */
export function readBy(dialect: Dialect, table: RawBuilder<unknown>, index: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`${table} indexed by ${sql.ref(index)}` : table
}

/** The name of the index that SQLite creates for a table's primary key. */
export function primaryIndex(table: string): string {
  return `sqlite_autoindex_${table}_1`
}

/**
 * `column` is one of the few values of a subquery, each looked up. PostgreSQL might turn a join into a scan of all rows
 * in order; it expects an array to be short.
 */
export function isAmongFew(dialect: Dialect, column: string, subquery: RawBuilder<unknown>): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (${subquery})`
    : sql<boolean>`${sql.ref(column)} = any(array(${subquery}))`
}

/**
 * The data definition of a table for one engine. PostgreSQL compares text by the database's locale, SQLite by bytes:
 * `collate "C"` makes both compare by code point.
 */
export function dataDefinition(dialect: Dialect, text: string): string[] {
  const statements = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return dialect === 'sqlite' ? statements : statements.map((part) => part.replace(/ text\b/g, ' text collate "C"'))
}

/**
 * The first of the columns that is not null; the last one never is. The text is that of an index. PostgreSQL counts COALESCE
 * among what may reveal rows, so under row-level security it would not use the index.
 */
export function firstOf(dialect: Dialect, columns: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  if (dialect === 'sqlite') return sql<string>`coalesce(${sql.join([...columns])})`
  const cases = columns.slice(0, -1).map((column) => sql`when ${column} is not null then ${column}`)
  return sql<string>`(case ${sql.join(cases, sql` `)} else ${columns.at(-1)} end)`
}
