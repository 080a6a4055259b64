/** A database as an earlier version left it: its tables, rows in each of them, and what can be read of both. */
import { sql } from 'kysely'
import { applyMigrations, migrations } from '../server/src/db/migrate.ts'
import { onceQuery, type Query } from '../server/src/db/query.ts'
import type { Store } from '../server/src/db/store.ts'
import type { Dice } from './dice.ts'

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
}

function ask<R>(text: ReturnType<typeof sql<R>>): Query<R> {
  return onceQuery<R>((db) => ({ compile: () => text.compile(db) }))
}

const columns = {
  sqlite: ask<Column>(sql`select m.name as "table", c.name as name, c.type as type from sqlite_schema m
    join pragma_table_info(m.name) c where m.type = 'table' and m.name <> 'migrations' order by m.name, c.cid`),
  postgres: ask<Column>(sql`select table_name as "table", column_name as name, data_type as type
    from information_schema.columns where table_schema = 'public' and table_name <> 'migrations'
    order by table_name, ordinal_position`),
}

export type Tables = ReadonlyMap<string, readonly Column[]>

/** The tables with their columns, as the engine knows them. */
export async function tablesOf(store: Store): Promise<Tables> {
  return Map.groupBy(await store.reader('system').all(columns[store.dialect]), ({ table }) => table)
}

/** Applies the first so many migrations and writes rows into every table that is there then. */
export async function makeOlder(store: Store, count: number, rows: number, dice: Dice): Promise<Tables> {
  const names = migrations.slice(0, count).map(({ name }) => name)
  await applyMigrations(store, names, 1)
  const tables = count === 0 ? new Map<string, Column[]>() : await tablesOf(store)
  await store.migrate(async (tx) => {
    for (const [table, of] of tables) {
      for (let i = 0; i < rows; i++) tx.write(insertion(table, of, dice))
    }
  })
  return tables
}

function insertion(table: string, of: readonly Column[], dice: Dice): Query<never> {
  const names = sql.join(of.map(({ name }) => sql.ref(name)))
  const values = sql.join(of.map(({ type }) => drawnFor(type, dice)))
  return ask<never>(sql<never>`insert into ${sql.table(table)} (${names}) values (${values})`)
}

function drawnFor(type: string, dice: Dice): string | number {
  const drawn = dice.int(0, 2 ** 31)
  return /int/i.test(type) ? drawn : `${dice.pick(['ä', '🚀', '"', '\n', 'x'])} ${drawn}`
}

/** Every row of these tables, in these columns, in an order of its own: the same text, the same rows. */
export async function rowsOf(store: Store, tables: Tables): Promise<ReadonlyMap<string, string>> {
  const reader = store.reader('system')
  const found = new Map<string, string>()
  for (const [table, of] of tables) {
    const names = sql.join(of.map(({ name }) => sql.ref(name)))
    const rows = await reader.all(ask<object>(sql<object>`select ${names} from ${sql.table(table)}`))
    found.set(
      table,
      rows
        .map((row) => JSON.stringify(row))
        .sort()
        .join('\n'),
    )
  }
  return found
}

const shapes = {
  sqlite: ask<object>(sql`select type, name, tbl_name, sql from sqlite_schema order by type, name`),
  postgres: ask<object>(sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
    order by 1, 2`),
}

/** Tables, columns and indexes as one text. */
export async function shapeOf(store: Store): Promise<string> {
  const rows = await store.reader('system').all(shapes[store.dialect])
  return JSON.stringify([[...(await tablesOf(store))], rows])
}
