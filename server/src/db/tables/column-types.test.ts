import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { migratedDatabase } from '../../../test/migrated.ts'
import { columnTypes } from './column-types.ts'
import { tableKeys } from './keys.ts'

describe('The types of columns', () => {
  it('are those of PostgreSQL’s catalogue, for every column of every table', async () => {
    const database = await migratedDatabase('postgres')
    const client = new pg.Client(database.url)
    await client.connect()
    try {
      const { rows } = await client.query<{ table: string; columns: string[]; types: string[] }>(
        `select table_name as table, array_agg(column_name::text order by ordinal_position) as columns,
          array_agg(replace(data_type, 'ARRAY', 'bigint[]') order by ordinal_position) as types
        from information_schema.columns where table_schema = 'public' and table_name = any($1) group by 1`,
        [tableKeys('postgres').map(({ table }) => table)],
      )
      assert.equal(rows.length, tableKeys('postgres').length)
      for (const { table, columns, types } of rows) assert.deepEqual(columnTypes(table, columns), types, table)
    } finally {
      await client.end()
      await database.remove()
    }
  })

  it('are known only of columns that a migration creates', () => {
    assert.throws(() => columnTypes('tasks', ['id', 'nothing']), /no migration creates tasks.nothing/)
  })
})
