/** The whole content of a database: tables as the engine describes them, every row, the applied migrations. */
import { sql } from 'kysely'
import { onceQuery, type Query } from '../../server/src/db/query.ts'
import type { Store } from '../../server/src/db/store.ts'

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
}

export type Tables = ReadonlyMap<string, readonly Column[]>

/** Table → its rows as sorted lines of JSON. Equal text means equal rows. */
export type Rows = ReadonlyMap<string, string>

export interface Dump {
  /** Tables, columns, indexes and policies as one text. */
  readonly shape: string
  /** Of every table except the list of migrations. */
  readonly rows: Rows
  /** Each with the time it was applied. */
  readonly migrations: readonly string[]
}

export function ask<R>(text: ReturnType<typeof sql<R>>): Query<R> {
  return onceQuery<R>((db) => ({ compile: () => text.compile(db) }))
}

/** A migration moves SQLite's request log into a second file, so both are read. The index of texts follows from other rows. */
const columns = {
  sqlite: ask<Column>(sql`select m.name as "table", c.name as name, c.type as type from
    (select name from main.sqlite_schema where type = 'table' union select name from logs.sqlite_schema where type = 'table') m
    join pragma_table_info(m.name) c where m.name not in ('migrations', 'sqlite_stat1') and m.name not glob 'text_grams*' and m.name not glob 'search_words*' order by m.name, c.cid`),
  postgres: ask<Column>(sql`select table_name as "table", column_name as name, data_type as type
    from information_schema.columns where table_schema = 'public' and table_name not in ('migrations', 'text_grams', 'search_hashes')
    order by table_name, ordinal_position`),
}

const shapes = {
  sqlite: [
    ask<object>(sql`select 'main' as file, type, name, tbl_name, sql from main.sqlite_schema
      union all select 'logs', type, name, tbl_name, sql from logs.sqlite_schema order by 1, 2, 3`),
  ],
  postgres: [
    ask<object>(sql`select table_name, column_name, data_type, is_nullable, column_default, collation_name
      from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`),
    ask<object>(sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`),
    ask<object>(sql`select tablename, policyname, cmd, roles, qual, with_check from pg_policies order by 1, 2`),
    ask<object>(sql`select relname, relrowsecurity, relforcerowsecurity from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`),
  ],
}

const applied = ask<{ name: string; applied: number }>(sql`select name, applied from migrations order by name`)

export async function tablesOf(store: Store): Promise<Tables> {
  return Map.groupBy(await store.reader('system').all(columns[store.dialect]), ({ table }) => table)
}

export async function rowsOf(store: Store, tables: Tables): Promise<Rows> {
  const reader = store.reader('system')
  const found = new Map<string, string>()
  for (const [table, of] of tables) {
    const names = sql.join(of.map(({ name }) => sql.ref(name)))
    const rows = await reader.all(ask<object>(sql<object>`select ${names} from ${sql.table(table)}`))
    found.set(table, asText(rows))
  }
  return found
}

export function asText(rows: readonly object[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n')
}

export async function shapeOf(store: Store): Promise<string> {
  const reader = store.reader('system')
  const found = []
  for (const query of shapes[store.dialect]) found.push(await reader.all(query))
  return JSON.stringify(found)
}

export async function dumpOf(store: Store): Promise<Dump> {
  const names = await store.reader('system').all(applied)
  return {
    shape: await shapeOf(store),
    rows: await rowsOf(store, await tablesOf(store)),
    migrations: names.map((each) => `${each.name} ${each.applied}`),
  }
}
