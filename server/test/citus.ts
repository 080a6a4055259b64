/**
 * A throwaway Citus cluster: a coordinator and two workers, from the programs in a folder that the operator of the bench names.
 * It never outlives the process that started it. Databases in it are created on every node.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openClient } from '../src/db/postgres/client.ts'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'
import { startStandby } from './standby.ts'

/** Few shards: each table of each test's database has as many copies. */
const shard_count = 4

const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: 200,
  max_worker_processes: 100,
  'citus.shard_count': shard_count,
  // What a test compares; some builds count only if they are asked to.
  'citus.enable_stat_counters': 'on',
  // The throwaway nodes have no certificates.
  'citus.node_conninfo': 'sslmode=prefer',
}

export interface Citus extends AsyncDisposable {
  /** Of the coordinator. */
  readonly url: string
  readonly coordinator: Postgres
  readonly workers: readonly Postgres[]
}

/** Starts a server with the programs in `folder`, which has `initdb` and `postgres` with the extension. */
export function startNode(folder: string, fsync = false): Promise<Postgres> {
  return startPostgres(optionsOf(folder, fsync))
}

function optionsOf(folder: string, fsync: boolean): PostgresOptions {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  return { programs, settings, auth: 'trust', fsync }
}

/** Starts a standby of a node. The node's commits wait for it from then on. */
export async function startNodeStandby(folder: string, node: Postgres): Promise<Postgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-standby-'))
  const standby = await startStandby(node, dataDir, [], optionsOf(folder, false))
  const stop = async () => {
    await standby.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  await run(node.url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = 'standby'`)
    await client.query('select pg_reload_conf()')
    const isSynchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`
    while ((await client.query(isSynchronous)).rows.length === 0) await sleep(20)
  })
  return { ...standby, stop, [Symbol.asyncDispose]: stop }
}

/** Ends the standby's recovery, and lets the cluster use it in the place of its node. */
export async function takeOver(coordinator: string, node: Postgres, standby: Postgres): Promise<void> {
  await run(standby.url, (client) => client.query('select pg_promote()'))
  const { hostname, port } = new URL(standby.url)
  await run(coordinator, (client) =>
    client.query('select citus_update_node(nodeid, $1, $2) from pg_dist_node where nodeport = $3', [
      hostname,
      port,
      node.port,
    ]),
  )
}

/** Starts a cluster with the programs in `folder`. `fsync`: its commits wait for the disk. */
export async function startCitus(folder: string, fsync = false): Promise<Citus> {
  const nodes = await Promise.all([0, 1, 2].map(() => startNode(folder, fsync)))
  const [coordinator, ...workers] = nodes as [Postgres, ...Postgres[]]
  await joinNodes(nodes.map(({ url }) => url))
  return {
    ...{ url: coordinator.url, coordinator, workers },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.stop()
    },
  }
}

async function run<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Makes the databases of these URLs, the coordinator's first, one cluster. */
async function joinNodes(urls: readonly string[]): Promise<void> {
  for (const url of urls) await run(url, (client) => client.query('create extension if not exists citus'))
  const [coordinator, ...workers] = urls.map((url) => new URL(url)) as [URL, ...URL[]]
  await run(coordinator.href, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.hostname, coordinator.port])
    for (const { hostname, port } of workers) await client.query('select citus_add_node($1, $2)', [hostname, port])
  })
}

/** Adds a server to the cluster as its newest node, without rows. */
export async function addNode(coordinator: string, node: Postgres): Promise<void> {
  await run(node.url, (client) => client.query('create extension if not exists citus'))
  const { hostname, port } = new URL(node.url)
  await run(coordinator, (client) => client.query('select citus_add_node($1, $2)', [hostname, port]))
}

/** The URLs of all nodes for the database of `url`, the coordinator's first. */
export async function nodesOf(url: string): Promise<string[]> {
  const { rows } = await run(url, (client) =>
    client.query('select nodename, nodeport from pg_dist_node order by groupid <> 0, nodeid'),
  )
  return rows.map(({ nodename, nodeport }) => {
    const node = new URL(url)
    node.hostname = nodename
    node.port = String(nodeport)
    return node.href
  })
}

/** Creates a database on all nodes: an empty cluster, or a copy of the cluster's database `template`. */
export async function createDatabase(url: string, name: string, template: string | null): Promise<void> {
  const nodes = await nodesOf(url)
  const copied = template === null ? '' : ` template ${template} strategy file_copy`
  await Promise.all(nodes.map((node) => run(node, (client) => client.query(`create database ${name}${copied}`))))
  if (template === null) await joinNodes(nodes.map((node) => within(node, name)))
}

/** Ends all work in a database, so that it can be copied. */
export async function closeDatabase(url: string, name: string): Promise<void> {
  for (const node of await nodesOf(url)) {
    await run(node, async (client) => {
      await client.query(`alter database ${name} allow_connections false`)
      const gone = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1`
      await client.query(gone, [name])
    })
  }
}

export async function renameDatabase(url: string, name: string, next: string): Promise<void> {
  for (const node of await nodesOf(url))
    await run(node, (client) => client.query(`alter database ${name} rename to ${next}`))
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  const nodes = await nodesOf(url)
  for (const node of nodes) await run(node, (client) => client.query(`drop database if exists ${name} with (force)`))
}

function within(node: string, database: string): string {
  const url = new URL(node)
  url.pathname = `/${database}`
  return url.href
}

const kept = `select coalesce(sum(total_bytes), 0)::int as bytes from pg_backend_memory_contexts where name like 'CachedPlan%'`

/** Bytes that a session on each node of the database keeps for plans after it has run one prepared statement so often. */
export async function bytesOfPlans(url: string, executions: number): Promise<number[]> {
  const of = { bypassesRowSecurity: false, isPooled: false, isCitus: true }
  const bytesOn = async (node: string) => {
    const client = await openClient({ config: { connectionString: node }, ...of })
    for (let i = 0; i < executions; i++)
      await client.query({
        name: 'read',
        text: 'select * from tasks where realm = $1 and id = $2',
        values: [1, 'tsk_1'],
      })
    const { rows } = await client.query(kept)
    await client.end()
    return rows[0].bytes as number
  }
  return await Promise.all((await nodesOf(url)).map(bytesOn))
}

/** The shards of `tasks` on the server of this URL. */
export async function shardsOn(url: string): Promise<number[]> {
  const { rows } = await run(url, (client) =>
    client.query(
      `select shardid::int as shard from pg_dist_placement join pg_dist_shard using (shardid)
       where logicalrelid = 'tasks'::regclass and groupid = (select groupid from pg_dist_local_group) order by shardid`,
    ),
  )
  return rows.map(({ shard }) => shard)
}
