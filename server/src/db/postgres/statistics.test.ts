import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, newDatabase, onPostgresServer } from '../../../test/engines.ts'
import { db_limits } from '../limits.ts'
import { migrate } from '../migrate.ts'
import { openStore } from '../open.ts'
import { rawQuery } from '../query.ts'
import { Statistics } from './statistics.ts'

const fill = rawQuery(
  () => sql`insert into request_logs (realm, id, created, entry)
    select 2, 'log_' || n, n, repeat('x', 1500) from generate_series(1, 20000) n`,
)

onPostgresServer('Statistics of PostgreSQL', () => {
  let database: Database
  let pool: pg.Pool
  before(async () => {
    database = await newDatabase('postgres')
    pool = new pg.Pool({ connectionString: database.url, max: 1 })
    // Of a connection that the server closes first when the database is removed.
    pool.on('error', () => {})
    const store = await openStore(database.url)
    await migrate(store, 1)
    await store.close()
    // The server's own process must not be first.
    for (const table of ['request_logs', 'migrations'])
      await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  })
  after(async () => {
    await pool.end()
    await database.remove()
  })

  /** The pages that PostgreSQL knows of, and those that there are. */
  const pagesOf = async (table: string) => {
    const { rows } = await pool.query<{ known: number; all: number }>(
      `select relpages as known, (pg_relation_size(oid) / current_setting('block_size')::int)::int as "all" from pg_class where relname = $1`,
      [table],
    )
    return rows[0] as { known: number; all: number }
  }
  const insert = async (from: number, count: number) => {
    const store = await openStore(database.url)
    const scope = { organization: 'org_a', realms: [1] }
    await store.write(scope, async (tx) => {
      for (let n = from; n < from + count; n++)
        tx.insert('request_logs', { realm: 1, id: `log_${n}`, created: n, entry: 'x'.repeat(100) })
    })
    // Waits for what runs.
    await store.close()
  }

  it('are taken of tables that have grown when many rows were inserted, and of no others', async () => {
    // Those of the database that this one was copied from.
    const others = (await pagesOf('migrations')).known
    await insert(0, db_limits.statistics_rows_min - 1)
    assert.equal((await pagesOf('request_logs')).known, 0)
    await insert(1000, db_limits.statistics_rows_min)
    const { known, all } = await pagesOf('request_logs')
    assert.ok(known > 0)
    assert.equal(known, all)
    assert.equal((await pagesOf('migrations')).known, others)
  })

  it('are taken again only of a table that is four times as large', async () => {
    const statistics = new Statistics(pool)
    const before = (await pagesOf('request_logs')).known
    await insert(10_000, db_limits.statistics_rows_min - 1)
    await statistics.take()
    assert.equal((await pagesOf('request_logs')).known, before)
    for (let from = 20_000; from < 30_000; from += 500) await insert(from, 500)
    await statistics.take()
    const { known, all } = await pagesOf('request_logs')
    assert.ok(known > 4 * before)
    assert.equal(known, all)
  })

  it('are due each time the inserted rows are four times as many', () => {
    const statistics = new Statistics(pool)
    const { statistics_rows_min: min } = db_limits
    const due = [min - 1, 1, 3 * min - 1, 1, 12 * min - 1, 1, 240 * min, 1].map((rows) => statistics.add(rows))
    assert.deepEqual(due, [false, true, false, true, false, true, true, false])
  })

  it('are taken of what a migration or a restore wrote', async () => {
    const before = (await pagesOf('request_logs')).known
    const store = await openStore(database.url)
    await store.migrate(async (tx) => tx.write(fill))
    await store.close()
    const { known, all } = await pagesOf('request_logs')
    assert.ok(known > 4 * before)
    assert.equal(known, all)
  })

  it('are left to PostgreSQL if it cannot be reached', async () => {
    const closed = new pg.Pool({ connectionString: database.url })
    await closed.end()
    await new Statistics(closed).take()
  })
})
