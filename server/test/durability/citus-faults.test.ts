/** A Citus cluster under load: nodes that are killed, shards that move, and nodes that join. */
import assert from 'node:assert/strict'
import { afterEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { call } from '../call.ts'
import { addNode, startNode } from '../citus.ts'
import type { Postgres } from '../postgres.ts'
import { CitusLoad } from './citus-load.ts'
import { endProcesses, serve } from './processes.ts'

const programs = process.env.ATRIUM_TEST_CITUS_PROGRAMS

afterEach(endProcesses)

function underLoad(title: string, test: (load: CitusLoad) => Promise<void>): void {
  it(title, async (context: TestContext) => {
    if (programs === undefined) return context.diagnostic('not tried: ATRIUM_TEST_CITUS_PROGRAMS is not set')
    await using load = await CitusLoad.open(programs)
    await test(load)
  })
}

/** Waits for what a process learns at an interval. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

describe('On a Citus cluster', () => {
  underLoad('an organization moves to another node: clients see at most temporary 503s', async (load) => {
    load.start()
    await load.writers.more(100)
    const { own, other } = await load.workers()
    await load.move(other)
    await load.writers.more(100)
    await load.move(own)
    await load.writers.more(100)
    await load.settle()
  })

  underLoad('a node joins and takes its share of the organizations', async (load) => {
    assert.ok(programs)
    await using node = await startNode(programs)
    load.start()
    await load.writers.more(100)
    await addNode(load.citus.url, node)
    await load.ask(`select rebalance_table_shards(shard_transfer_mode => 'block_writes')`)
    const shards = `select count(*)::int as count from citus_shards where nodeport = ${node.port} and table_name = 'tasks'::regclass`
    assert.notEqual((await load.ask<{ count: number }>(shards))[0]?.count, 0)
    if ((await load.place()).port !== node.port) await load.move(node)
    await load.writers.more(100)
    await load.settle()
  })

  underLoad('the node of an organization is killed and comes back', async (load) => {
    load.start()
    await load.writers.more(100)
    const { own } = await load.workers()
    await own.kill()
    await until(async () => (load.writers.seen.get(503) ?? 0) > 0)
    await own.restart()
    await load.writers.more(100)
    await load.settle()
  })

  underLoad('the coordinator is killed and comes back', async (load) => {
    load.start()
    await load.writers.more(100)
    await load.citus.coordinator.kill()
    await until(async () => (load.writers.seen.get(503) ?? 0) > 0 || load.misread.size > 0)
    await load.citus.coordinator.restart()
    await load.writers.more(100)
    await load.settle()
  })

  for (const killed of ['a node', 'the server'] as const) {
    underLoad(`${killed} is killed between prepare and commit of copied rows: all nodes have them`, async (load) => {
      const { installation } = load
      const { own, other } = await load.workers()
      const body = { name: 'Copied', scopes: ['tasks:read'] }
      const create = (url: string) =>
        call(url, 'POST', '/v1/api_keys', { key: installation.key, body, idempotencyKey: 'copied' }).catch(() => null)
      const held = await holdPrepare(load, own)
      const answer = create(load.server.url)
      await until(async () => (await load.ask(`select 1 from pg_prepared_xacts`, other.url)).length > 0)
      if (killed === 'a node') await other.kill()
      else await load.server.kill()
      await held.release()
      assert.equal((await answer)?.status, killed === 'a node' ? 200 : undefined)
      if (killed === 'a node') await other.restart()
      const nodes = [load.citus.coordinator, ...load.citus.workers]
      await until(async () => {
        await load.ask('select recover_prepared_transactions()')
        const left = await Promise.all(nodes.map(({ url }) => load.ask('select 1 from pg_prepared_xacts', url)))
        return left.every((rows) => rows.length === 0)
      })
      const count = `select count(*)::int as count from credentials where name = 'Copied'`
      for (const { url } of nodes) assert.deepEqual(await load.ask(count, url), [{ count: 1 }])
      const again = killed === 'a node' ? load.server : await serve(installation.environment)
      assert.equal((await create(again.url))?.status, 200)
      for (const { url } of nodes) assert.deepEqual(await load.ask(count, url), [{ count: 1 }])
      await again.stop()
    })
  }
})

/** New credentials are prepared on this node only after `release`. */
async function holdPrepare(load: CitusLoad, { url }: Postgres): Promise<{ release(): Promise<void> }> {
  const [shard] = await load.ask<{ shardid: string }>(
    `select shardid from pg_dist_shard where logicalrelid = 'credentials'::regclass`,
  )
  const client = new pg.Client(url)
  await client.connect()
  await client.query('set citus.enable_ddl_propagation to off; set citus.enable_manual_changes_to_shards to on')
  await client.query(`create function hold() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(1); return null; end'`)
  await client.query(`create constraint trigger held after insert on credentials_${shard?.shardid}
    deferrable initially deferred for each row execute function hold()`)
  await client.query('select pg_advisory_lock(1)')
  return { release: () => client.end() }
}
