/** On Citus, a request costs one shard of one node: none of its statements is spread over several. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { catalogue } from '../../src/catalogue.ts'
import { nodesOf } from '../citus.ts'
import { citus_url } from '../engines.ts'
import { populate, sendCall } from '../things.ts'
import { openWorld, type World } from '../world.ts'

interface Counted {
  readonly single: number
  readonly spread: number
}

/** What Citus has counted on all nodes since the database's creation, of statements over one and over several shards. */
async function counted({ database }: World): Promise<Counted> {
  const total = { single: 0, spread: 0 }
  for (const url of await nodesOf(database.url)) {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query(
      `select query_execution_single_shard::int as single, query_execution_multi_shard::int as spread
       from citus_stat_counters where name = current_database()`,
    )
    await client.end()
    total.single += rows[0].single
    total.spread += rows[0].spread
  }
  return total
}

describe('A request on Citus', () => {
  it('plans every statement to one task on one shard, over the whole catalogue', async (context: TestContext) => {
    if (citus_url === null) return context.diagnostic('not tried: ATRIUM_TEST_CITUS_URL is not set')
    const world = await openWorld('postgres')
    try {
      const things = await populate(world)
      const spread: string[] = []
      let single = 0
      for (const operation of catalogue) {
        const call = await things.call(operation)
        const before = await counted(world)
        const reply = await sendCall(things, call)
        const after = await counted(world)
        assert.equal(reply.status, 200, `${operation.id}: ${reply.text}`)
        single += after.single - before.single
        if (after.spread > before.spread) spread.push(`${operation.id}: ${after.spread - before.spread}`)
      }
      assert.deepEqual(spread, [], 'operations with statements over several shards')
      assert.ok(single > catalogue.length, `Citus counts statements: ${single}`)
    } finally {
      await world.close()
    }
  })
})
