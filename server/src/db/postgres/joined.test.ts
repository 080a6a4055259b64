import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type pg from 'pg'
import { type Database, onPostgresServer } from '../../../test/engines.ts'
import { migratedDatabase } from '../../../test/migrated.ts'
import { literal, type Placeholder, type Query, query, type Values } from '../query.ts'
import { clientConfig, closeClient, openClient } from './client.ts'
import { insertJoined, selectFew, selectJoined, updateJoined } from './joined.ts'
import { type Joined, RowShape } from './row-shape.ts'
import { run } from './statement.ts'

/** PostgreSQL plans the first executions of a prepared statement, to compare them with a plan that it would keep. */
const planned_always = 5

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('request_logs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')).limit(literal(2)),
)

onPostgresServer('Statements for many rows', () => {
  let database: Database
  let client: pg.Client
  before(async () => {
    database = await migratedDatabase('postgres')
    const config = clientConfig(database.url)
    client = await openClient({ config, bypassesRowSecurity: false, isPooled: false, isCitus: false })
  })
  after(async () => {
    await closeClient(client)
    await database.remove()
  })

  const send = (query: Query<unknown, Joined>, values: Joined) => {
    const { sql, name = '', bind } = query.statement('postgres')
    return run<Readonly<Record<string, unknown>>>(client, { name, sql, values: bind(values as unknown as Values) })
  }

  const plansOf = async (query: Query<unknown, Joined>) => {
    const { name } = query.statement('postgres')
    const { rows } = await client.query(
      'select custom_plans::int, generic_plans::int from pg_prepared_statements where name = $1',
      [name],
    )
    return rows[0] as { custom_plans: number; generic_plans: number }
  }

  it('keep their plan, although few rows seem cheaper than it', async () => {
    const shape = new RowShape('request_logs', ['realm', 'id', 'created', 'entry'])
    const insert = insertJoined(shape, null)
    const counted = new RowShape('request_logs', ['realm', 'id', 'created'])
    const update = updateJoined(counted, 2)
    const key = new RowShape('request_logs', ['realm', 'id'])
    const { sql: text, effect } = byId.statement('postgres')
    const within = effect.kind === 'reads' ? effect.within : null
    assert.ok(within?.few)
    const selects = [selectJoined(null, key), selectFew(text, within.few, within.where, key)]
    for (let n = 0; n < 2 * planned_always; n++) {
      const ids = [`log_${n}`, `more_${n}`]
      await send(insert, shape.bind(ids.map((id) => [1, id, n, '"é"'])))
      assert.equal((await send(update, counted.bind(ids.map((id) => [1, id, n + 1])))).count, 2)
      for (const select of selects) {
        const { rows } = await send(select, key.bind(ids.map((id) => [1, id])))
        assert.deepEqual(
          rows,
          ids.map((id) => ({ realm: 1, id, created: n + 1, entry: '"é"' })),
        )
      }
    }
    for (const query of [insert, update, ...selects]) {
      assert.deepEqual(await plansOf(query), {
        custom_plans: planned_always,
        generic_plans: planned_always,
      })
    }
  })
})
