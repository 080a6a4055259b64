/** The engines for tests of SQL in this folder: SQLite, and PostgreSQL if ATRIUM_TEST_POSTGRES_URL is set. */
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import pg from 'pg'
import { type Dialect, dataDefinition } from '../../db/dialect.ts'

export type Value = string | number | null
export type Row = Record<string, Value>
export type Compiled = { sql: string; parameters: readonly unknown[] }
export type Engine = { dialect: Dialect; rows(query: Compiled): Promise<Row[]> }

/**
 * Every engine with a table `tasks` of these columns and rows. Returns at once and opens PostgreSQL with the first query:
 * if a file awaited it, the engines would be closed after the first tests, before the last ones are declared.
 */
export function openEngines(columns: string[], rows: Value[][]): Engine[] {
  const url = process.env.ATRIUM_TEST_POSTGRES_URL
  return url ? [openSqlite(columns, rows), openPostgres(url, columns, rows)] : [openSqlite(columns, rows)]
}

function openSqlite(columns: string[], rows: Value[][]): Engine {
  const db = new DatabaseSync(':memory:')
  db.exec(`create table tasks (${columns.join(', ')})`)
  const insert = db.prepare(`insert into tasks values (${columns.map(() => '?').join()})`)
  for (const row of rows) insert.run(...row)
  after(() => db.close())
  return {
    dialect: 'sqlite',
    rows: async ({ sql, parameters }) => db.prepare(sql).all(...(parameters as Value[])) as Row[],
  }
}

function openPostgres(url: string, columns: string[], rows: Value[][]): Engine {
  const types = { getTypeParser: (oid: number) => (oid === 20 || oid === 701 ? Number : String) }
  const client = new pg.Client({ connectionString: url, types })
  let filled: Promise<void> | undefined
  after(() => client.end())
  return {
    dialect: 'postgres',
    async rows({ sql, parameters }) {
      filled ??= fill(client, columns, rows)
      await filled
      return (await client.query<Row>(sql, [...parameters])).rows
    },
  }
}

async function fill(client: pg.Client, columns: string[], rows: Value[][]): Promise<void> {
  await client.connect()
  await client.query(dataDefinition('postgres', `create temp table tasks (${columns.join(', ')})`).join())
  const text = `insert into tasks values (${columns.map((_, i) => `$${i + 1}`).join()})`
  for (const row of rows) await client.query(text, row)
}
