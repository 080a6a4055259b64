/** Seeds $DATA/base.db with $TASKS tasks (100,000) and, if PGURL is set, the same rows into that PostgreSQL database. */
import { mkdirSync, rmSync } from 'node:fs'
import pg from 'pg'
import { columns, key, openSqlite, organization, type Row, schema, seedRow, sha256, type Value } from './common.ts'

const count = Number(process.env.TASKS ?? 100_000)
const folder = process.env.DATA as string
const credential = [sha256(key), organization, 'tasks:read tasks:write']

function seedSqlite(): void {
  mkdirSync(folder, { recursive: true })
  for (const end of ['', '-wal', '-shm']) rmSync(`${folder}/base.db${end}`, { force: true })
  const database = openSqlite(`${folder}/base.db`, 'OFF')
  database.exec(`${schema} begin`)
  const insert = database.prepare(`insert into tasks(${columns}) values(${columns.map(() => '?')})`)
  for (let i = 0; i < count; i++) {
    const row = seedRow(i)
    insert.run(...(columns.map((column) => row[column]) as Value[]))
  }
  database.prepare('insert into keys values(?,?,?)').run(...credential)
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  database.close()
}

async function seedPostgres(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`drop table if exists tasks, events, audit, idem, keys; ${schema}`)
  for (let from = 0; from < count; from += 1000) {
    const rows: Row[] = Array.from({ length: Math.min(1000, count - from) }, (_, i) => seedRow(from + i))
    await client.query(
      `insert into tasks(${columns}) select ${columns} from json_populate_recordset(null::tasks, $1)`,
      [JSON.stringify(rows)],
    )
  }
  await client.query('insert into keys values($1,$2,$3)', credential)
  await client.query('vacuum analyze')
  await client.end()
}

seedSqlite()
if (process.env.PGURL) await seedPostgres(process.env.PGURL)
console.log('seeded')
