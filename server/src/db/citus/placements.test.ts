/** Every table has one placement, and every distributed table a column and keys that fit it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Database, onEveryEngine } from '../../../test/engines.ts'
import { migratedDatabase } from '../../../test/migrated.ts'
import { tableKeys } from '../tables/keys.ts'
import { placements } from './placements.ts'

const tablesOf = (dialect: 'sqlite' | 'postgres') => tableKeys(dialect).map(({ table }) => table)

onEveryEngine('The placement of tables on Citus', (engine) => {
  it('names every table of the schema', () => {
    const missing = tablesOf(engine).filter((table) => placements[table] === undefined)
    assert.deepEqual(missing, [], 'tables without a placement in server/src/db/citus/placements.ts')
  })
})

describe('The placement of tables on Citus', () => {
  let database: Database
  let client: pg.Client
  before(async () => {
    database = await migratedDatabase('postgres')
    client = new pg.Client(database.url)
    await client.connect()
  })
  after(async () => {
    await client?.end()
    await database?.remove()
  })

  it('names no table that the schema lacks', () => {
    const known = new Set(['migrations', ...tablesOf('postgres')])
    assert.deepEqual(
      Object.keys(placements).filter((table) => !known.has(table)),
      [],
    )
  })

  it('places rows by a column that every unique key of their table has, or that it gets before', async () => {
    const { rows } = await client.query<{ table: string; index: string; columns: string[] }>(
      `select c.relname as table, i.relname as index, array_agg(a.attname::text) as columns from pg_index x
       join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
       join pg_attribute a on a.attrelid = x.indexrelid
       where x.indisunique and c.relnamespace = 'public'::regnamespace group by 1, 2 order by 1, 2`,
    )
    const unfit = rows.filter(({ table, index, columns }) => {
      const placement = placements[table]
      if (placement?.by !== 'realm' && placement?.by !== 'organization') return false
      const keys = placement.by === 'realm' ? (placement.keys ?? []) : []
      return !columns.includes(placement.column) && !keys.some((text) => text.includes(index))
    })
    assert.deepEqual(unfit, [])
    for (const [table, placement] of Object.entries(placements)) {
      if (!('column' in placement)) continue
      const found = `select format_type(atttypid, null) as type from pg_attribute where attrelid = $1::regclass and attname = $2`
      const { rows: types } = await client.query(found, [table, placement.column])
      assert.equal(types[0]?.type, placement.by === 'realm' ? 'bigint' : 'text', `${table}.${placement.column}`)
    }
  })
})
