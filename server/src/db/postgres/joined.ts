/**
 * Statements that do for many rows at once what others do for one: to PostgreSQL a statement costs more than a row.
 * Everything that varies in number is bound as one JSON text, so that a text is prepared once for any number of rows.
 */
import { sql } from 'kysely'
import type { Lookup } from '../effect.ts'
import { type Placeholder, type Query, shapedQuery, type Value } from '../query.ts'

/** A row, or the values to look it up by, as JSON; `null` if a number has no form in JSON. */
export function rowText(columns: readonly string[], valueIn: (column: string) => Value): string | null {
  const row: Record<string, Value> = {}
  for (const column of columns) {
    const value = valueIn(column)
    if (typeof value === 'number' && !Number.isFinite(value)) return null
    // The form that the bytes of a text parameter would have; JSON would write half a surrogate pair as an escape,
    // which PostgreSQL refuses.
    row[column] = typeof value === 'string' ? value.toWellFormed() : value
  }
  return JSON.stringify(row)
}

/** The rows of a joined statement, as one JSON array. */
export type Joined = { readonly rows: string }

/** Texts of `rowText` for the parameter `rows`. */
export function rowsParameter(texts: readonly string[]): Joined {
  return { rows: `[${texts.join()}]` }
}

/** Inserts the rows bound as `rows`. */
export function insertJoined(table: string, columns: readonly string[]): Query<unknown, Joined> {
  return shapedQuery(`insert joined ${table} ${columns.join()}`, (db, p: Placeholder<Joined>) => {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const text = sql`insert into ${sql.table(table)} (${names})
      select ${names} from json_populate_recordset(null::${sql.table(table)}, ${p('rows')})`
    // The composed text returns the rows that the query declares.
    return { compile: () => text.compile(db) } as never
  })
}

/**
 * The rows that equal one of `rows` in `columns`, with these columns in addition to those of the look-up. Each row is
 * looked up separately (`offset 0`) by the index that a look-up of one row uses; in a join, a table that was small when
 * the statement was planned would be scanned as a whole.
 */
export function selectJoined(
  { table, selected }: Lookup,
  columns: readonly string[],
): Query<Readonly<Record<string, Value>>, Joined> {
  const shown = selected === null ? null : [...new Set([...selected, ...columns])]
  return shapedQuery(
    `select joined ${table} ${columns.join()} ${shown === null ? '' : shown.join()}`,
    (db, p: Placeholder<Joined>) => {
      const names = shown === null ? sql`*` : sql.join(shown.map((column) => sql.ref(column)))
      const equal = sql.join(
        columns.map((column) => sql`${sql.ref(`one.${column}`)} = ${sql.ref(`sought.${column}`)}`),
        sql` and `,
      )
      const text = sql`select found.* from json_populate_recordset(null::${sql.table(table)}, ${p('rows')}) as sought
      cross join lateral (select ${names} from ${sql.table(table)} as one where ${equal} offset 0) as found`
      // The composed text returns the rows that the query declares.
      return { compile: () => text.compile(db) } as never
    },
  )
}
