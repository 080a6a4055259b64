/**
 * Statements that do for many rows at once what others do for one: to PostgreSQL a statement costs more than a row.
 * Everything that varies in number is bound as one JSON text, so that a text is prepared once for any number of rows.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Conflict, Lookup } from '../engine/effect.ts'
import { type AnyQuery, type Placeholder, type Query, shapedQuery, type Value } from '../query.ts'

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

const joined = new WeakSet<AnyQuery>()

/** Whether it looks up the rows of several reads. */
export function isJoined(query: AnyQuery): boolean {
  return joined.has(query)
}

/** Inserts the rows bound as `rows`. With `conflict`, each must have another key. */
export function insertJoined(
  table: string,
  columns: readonly string[],
  conflict: Conflict | null,
): Query<unknown, Joined> {
  const shape = `insert joined ${table} ${columns.join()} ${JSON.stringify(conflict)}`
  return shapedQuery(shape, (db, p: Placeholder<Joined>) => {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const text = sql`insert into ${sql.table(table)} (${names})
      select ${names} from json_populate_recordset(null::${sql.table(table)}, ${p('rows')})${onConflict(conflict)}`
    // The composed text returns the rows that the query declares.
    return { compile: () => text.compile(db) } as never
  })
}

/**
 * Sets columns of the rows that equal one of `rows` in `keyed`. They are looked up by each column of the key, too: PostgreSQL would
 * scan a table that was small when the statement was planned.
 */
export function updateJoined(table: string, keyed: readonly string[], set: readonly string[]): Query<unknown, Joined> {
  return shapedQuery(`update joined ${table} ${keyed.join()} ${set.join()}`, (db, p: Placeholder<Joined>) => {
    const rows = sql`json_populate_recordset(null::${sql.table(table)}, ${p('rows')})`
    const conditions = keyed.flatMap((name) => {
      const column = sql.ref(`own.${name}`)
      return [sql`${column} = one.${sql.ref(name)}`, sql`${column} = any(array(select ${sql.ref(name)} from ${rows}))`]
    })
    const text = sql`update ${sql.table(table)} as own
      set ${sql.join(set.map((name) => sql`${sql.ref(name)} = one.${sql.ref(name)}`))}
      from ${rows} as one where ${sql.join(conditions, sql` and `)}`
    // A write returns no rows.
    return { compile: () => text.compile(db) } as never
  })
}

function onConflict(conflict: Conflict | null): RawBuilder<unknown> {
  if (conflict === null) return sql``
  const key = sql.join(conflict.key.map((column) => sql.ref(column)))
  if (conflict.set.length === 0) return sql` on conflict (${key}) do nothing`
  const set = conflict.set.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`)
  return sql` on conflict (${key}) do update set ${sql.join(set)}`
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
  const query: Query<Readonly<Record<string, Value>>, Joined> = shapedQuery(
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
  joined.add(query)
  return query
}
