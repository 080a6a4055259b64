/** A Citus cluster under load: nodes that are killed, shards that move, nodes that join, and work that leaves the coordinator out. */
import assert from 'node:assert/strict'
import { afterEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { call } from '../call.ts'
import { addNode, startNode, startNodeStandby, takeOver } from '../citus.ts'
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

const titleOf = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('tasks').select('title').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const counted = `select (query_execution_single_shard + query_execution_multi_shard)::int as count
  from citus_stat_counters where name = current_database()`

/** Statements over shards that a server has planned. */
async function planned(load: CitusLoad, url: string): Promise<number> {
  return (await load.ask<{ count: number }>(counted, url))[0]?.count ?? 0
}

/** When a session of the program itself last read a task from one of this server's shards. */
async function lastRead(load: CitusLoad, url: string): Promise<string> {
  const latest = `select coalesce(max(query_start)::text, '') as at from pg_stat_activity
    where application_name like 'atrium%' and query like 'select * from "tasks\\_%'`
  return (await load.ask<{ at: string }>(latest, url))[0]?.at ?? ''
}

async function createTask(load: CitusLoad, title: string) {
  const { server, installation } = load
  const { key } = installation
  const [workspace] = (await call(server.url, 'GET', '/v1/workspaces', { key })).body.data
  return await call(server.url, 'POST', '/v1/tasks', { key, body: { workspace: workspace.id, title } })
}

/** Writes a task's title and reads it at once, again and again: each title is a number greater than those before. */
class RereadingClient {
  readonly outdated: string[] = []
  readonly statuses = new Set<number>()
  private readonly load: CitusLoad
  private readonly path: string
  private rounds = 0
  private going = true
  private running: Promise<void> = Promise.resolve()

  constructor(load: CitusLoad, id: string) {
    this.load = load
    this.path = `/v1/tasks/${id}`
  }

  start(): void {
    this.running = this.run()
    // If the test fails meanwhile, that failure is to be reported, and not the end of its server.
    this.running.catch(() => {})
  }

  private async run(): Promise<void> {
    const { server, installation } = this.load
    const { key } = installation
    for (let title = 1, acknowledged = 0; this.going; title++) {
      const written = await call(server.url, 'PATCH', this.path, { key, body: { title: String(title) } })
      if (written.status === 200) acknowledged = title
      const read = await call(server.url, 'GET', this.path, { key })
      for (const { status } of [written, read]) this.statuses.add(status)
      if (read.status !== 200) continue
      if (Number(read.body.title) < acknowledged) this.outdated.push(`${read.body.title} after ${acknowledged}`)
      this.rounds++
    }
  }

  /** Waits for further reads. */
  async more(count: number): Promise<void> {
    const from = this.rounds
    await until(async () => this.rounds >= from + count)
  }

  async stop(): Promise<void> {
    this.going = false
    await this.running
  }
}

describe('On a Citus cluster', () => {
  underLoad(
    'requests of an organization are served by its node, and every process hears of its commits',
    async (load) => {
      const { own } = await load.workers()
      const store = await openStore(load.citus.url, { direct: null, nodes: true })
      try {
        const heard = Promise.withResolvers<number>()
        store.watch(heard.resolve)
        assert.deepEqual(
          (await store.nodeStatus()).map(({ ready, fault }) => ({ ready, fault })),
          [0, 1].map(() => ({ ready: true, fault: null })),
        )
        const first = await createTask(load, 'First')
        assert.equal(first.status, 200)
        await until(async () => {
          const before = await lastRead(load, own.url)
          const { key } = load.installation
          assert.equal((await call(load.server.url, 'GET', `/v1/tasks/${first.body.id}`, { key })).status, 200)
          return (await lastRead(load, own.url)) > before
        })
        assert.equal(await heard.promise, load.installation.realms.live)
        const before = await planned(load, load.citus.url)
        const made = await createTask(load, 'Past the coordinator')
        const read = await call(load.server.url, 'GET', `/v1/tasks/${made.body.id}`, { key: load.installation.key })
        assert.deepEqual([made.status, read.status, read.body.title], [200, 200, 'Past the coordinator'])
        assert.equal(await planned(load, load.citus.url), before, 'statements over shards on the coordinator')
        assert.equal(await planned(load, own.url), 0, 'statements over shards on the node')
      } finally {
        await store.close()
      }
    },
  )

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

  underLoad('a read that is sent to the former node finds what has moved', async (load) => {
    const made = await createTask(load, 'Moves')
    const { key } = load.installation
    const read = async () => await call(load.server.url, 'GET', `/v1/tasks/${made.body.id}`, { key })
    const { own, other } = await load.workers()
    await until(async () => {
      const before = await lastRead(load, own.url)
      assert.equal((await read()).status, 200)
      return (await lastRead(load, own.url)) > before
    })
    await load.move(other)
    for (let i = 0; i < 20; i++) assert.equal((await read()).status, 200)
    await until(async () => {
      const before = await lastRead(load, other.url)
      assert.equal((await read()).status, 200)
      return (await lastRead(load, other.url)) > before
    })
  })

  underLoad('a process that has not heard of a move reads what was written after it', async (load) => {
    const made = await createTask(load, 'Before')
    const { organization, realms } = load.installation
    const store = await openStore(load.citus.url, { direct: null, nodes: true })
    try {
      const scope = { organization, realms: [realms.live] }
      const read = () => store.reader(scope).first(titleOf, { realm: realms.live, id: made.body.id })
      await store.nodeStatus()
      assert.deepEqual(await read(), { title: 'Before' })
      const { other } = await load.workers()
      await load.move(other)
      // The former node still has the rows as they were.
      await load.ask(`update tasks set title = 'After' where realm = ${realms.live}`)
      assert.deepEqual(await read(), { title: 'After' })
    } finally {
      await store.close()
    }
  })

  underLoad(
    'a reader sees at least what it has written itself, while the organization moves and afterwards',
    async (load) => {
      const made = await createTask(load, '0')
      const client = new RereadingClient(load, made.body.id)
      const { own, other } = await load.workers()
      load.start()
      client.start()
      for (const node of [other, own, other]) {
        await client.more(20)
        await load.move(node)
      }
      await client.more(20)
      await client.stop()
      assert.deepEqual(client.outdated, [])
      for (const status of client.statuses) assert.ok([200, 503].includes(status), `answered with ${status}`)
      await load.writers.stop()
    },
  )

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

  underLoad('the node of an organization is killed, and its standby takes over', async (load) => {
    assert.ok(programs)
    const { own } = await load.workers()
    await using standby = await startNodeStandby(programs, own)
    load.start()
    await load.writers.more(100)
    await own.kill()
    await until(async () => (load.writers.seen.get(503) ?? 0) > 0)
    await takeOver(load.citus.url, own, standby)
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
