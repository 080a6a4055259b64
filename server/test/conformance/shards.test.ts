/** On Citus, a request costs one shard of one node: its statements name the shard, or Citus plans them to one. */
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

const nothing = { single: 0, spread: 0 }

/** What Citus has planned on each node since the database's creation, the coordinator first, over one and over several shards. */
async function planned({ database }: World): Promise<Counted[]> {
  const counted: Counted[] = []
  for (const url of await nodesOf(database.url)) {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query(
      `select query_execution_single_shard::int as single, query_execution_multi_shard::int as spread
       from citus_stat_counters where name = current_database()`,
    )
    await client.end()
    counted.push(rows[0])
  }
  return counted
}

describe('A request on Citus', () => {
  it('names one shard in every statement to a node, and is planned to one by the coordinator, over the whole catalogue', async (context: TestContext) => {
    if (citus_url === null) return context.diagnostic('not tried: ATRIUM_TEST_CITUS_URL is not set')
    const world = await openWorld('postgres')
    try {
      const things = await populate(world)
      const spread: string[] = []
      const past: string[] = []
      const [, ...before_all] = await planned(world)
      for (const operation of catalogue) {
        const call = await things.call(operation)
        const [before = nothing] = await planned(world)
        const reply = await sendCall(things, call)
        const [after = nothing] = await planned(world)
        assert.equal(reply.status, 200, `${operation.id}: ${reply.text}`)
        if (after.spread > before.spread) spread.push(`${operation.id}: ${after.spread - before.spread}`)
        if (after.single === before.single) past.push(operation.id)
      }
      const [coordinator, ...workers] = await planned(world)
      assert.deepEqual(spread, [], 'operations with statements over several shards')
      assert.deepEqual(workers, before_all, 'statements on nodes that name tables instead of shards')
      assert.ok((coordinator?.single ?? 0) > 0, 'Citus counts statements')
      // Use and credits are counted through the coordinator, at intervals.
      for (const id of ['tasks.list', 'tasks.retrieve', 'boards.create'])
        assert.ok(past.includes(id), `${id} is not past the coordinator: ${past.join()}`)
    } finally {
      await world.close()
    }
  })
})
