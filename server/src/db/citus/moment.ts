/**
 * Everything on all nodes of a cluster at one moment. Citus has no snapshot over several nodes, so writes pause for its beginning:
 * every write of an organization locks its row of `audit_heads`, and a lock on the shards of that table waits for the writes that
 * have begun, prepared transactions included, and keeps others waiting. Meanwhile a transaction begins on each node; then writes
 * go on. The transactions read shards by name, because through Citus' tables they would reach other nodes in other transactions.
 */
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { backOff } from '../../lib/back-off.ts'
import { pagesOf } from '../backup/whole-tables.ts'
import { db_limits } from '../limits.ts'
import { type Address, closeClient, openClient } from '../postgres/client.ts'
import { asStoreError } from '../postgres/errors.ts'
import type { ReadRows } from '../postgres/reads.ts'
import { run } from '../postgres/statement.ts'
import { PostgresTransaction, PostgresTx } from '../postgres/tx.ts'
import { type AnyQuery, onceQuery, rawQuery } from '../query.ts'
import { type Moment, type Reader, StoreUnavailable, type TableRow } from '../store.ts'
import { identity } from './node.ts'
import { leadTo, readIdentities } from './nodes.ts'

interface PlacedShard {
  readonly table: string
  readonly shard: string
  /** Of the node that holds it. */
  readonly group: number
}

interface Node {
  readonly group: number
  readonly host: string
  readonly port: number
}

/** Every shard once: of a copied table, the copy on the node with the lowest number. */
const readShards = rawQuery(
  () => sql<PlacedShard>`select relname as "table", relname || '_' || shard.shardid as shard, min(placement.groupid) as "group"
    from pg_dist_shard as shard join pg_dist_placement as placement on placement.shardid = shard.shardid
    join pg_class on pg_class.oid = shard.logicalrelid and relnamespace = current_schema()::regnamespace
    group by relname, shard.shardid order by relname, shard.shardid`,
)

const readNodes = rawQuery(
  () =>
    sql<Node>`select groupid as "group", nodename as host, nodeport as port from pg_dist_node where noderole = 'primary'`,
)

/** The first statement of a transaction sets the moment that it reads. */
const begin = onceQuery(() => sql<{ one: number }>`select 1 as one`)

/** A connection to a node, and where it leads. */
interface Connected {
  readonly client: pg.Client
  readonly address: Address
}

interface Session extends Connected {
  readonly transaction: PostgresTransaction
  readonly reader: PostgresTx
}

/** By the number of the node. */
type OnNodes<T> = ReadonlyMap<number, T>

/** Reads from the coordinator, each time what is there now. */
type ReadNow = <R>(query: AnyQuery<R>) => Promise<R[]>

/** A part of a table: the whole of it, or a shard. */
interface Part {
  readonly name: string
  readonly reader: Reader
}

export class ClusterMoment implements AsyncDisposable {
  private readonly sessions: OnNodes<Session>
  private readonly shards: ReadonlyMap<string, readonly PlacedShard[]>

  private constructor(sessions: OnNodes<Session>, shards: readonly PlacedShard[]) {
    this.sessions = sessions
    this.shards = Map.groupBy(shards, ({ table }) => table)
  }

  /** `coordinator` reads from the coordinator, which is at `address`. Rejects with StoreUnavailable. */
  static async open(address: Address, coordinator: ReadRows): Promise<ClusterMoment> {
    const read: ReadNow = async <R>(query: AnyQuery<R>) => (await coordinator('system', query, {})) as R[]
    try {
      const until = performance.now() + db_limits.backup_pauses_ms
      for (let attempt = 1; performance.now() < until; attempt++) {
        const moment = await ClusterMoment.attempt(address, read)
        if (moment !== null) return moment
        await backOff(attempt, db_limits.transaction_pause_ms)
      }
    } catch (error) {
      throw asStoreError(error)
    }
    throw new StoreUnavailable(`writes could not be paused within ${db_limits.backup_pauses_ms / 1000} s`)
  }

  /** Null if writes could not be paused now, or a shard moved meanwhile. */
  private static async attempt(address: Address, read: ReadNow): Promise<ClusterMoment | null> {
    const shards = await read(readShards)
    const connected = await connect(address, read)
    let moment: ClusterMoment | null = null
    try {
      const sessions = await pausing(connected, shards, () => beginOn(connected))
      // What the coordinator knows at the moment: a shard that has moved is no longer where it would be looked for.
      const then = await sessions?.get(0)?.reader.all(readShards)
      if (sessions !== null && JSON.stringify(then) === JSON.stringify(shards))
        moment = new ClusterMoment(sessions, shards)
      return moment
    } finally {
      if (moment === null) await closeAll(connected)
    }
  }

  async run<T>(read: (moment: Moment) => Promise<T>): Promise<T> {
    const coordinator = this.sessionOf(0).reader
    try {
      const value = await read({ reader: coordinator, pages: (table, key) => this.pages(table, key) })
      for (const { reader, transaction } of this.sessions.values()) {
        reader.end()
        await transaction.settled()
      }
      return value
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === undefined_table)
        throw new StoreUnavailable('a shard was moved while it was read', error)
      throw asStoreError(error)
    }
  }

  private pages(table: string, key: readonly string[]): AsyncIterable<readonly TableRow[]> {
    const shards = this.shards.get(table)
    const parts = shards?.map(({ shard, group }) => ({ name: shard, reader: this.sessionOf(group).reader }))
    return inOrder(parts ?? [{ name: table, reader: this.sessionOf(0).reader }], key)
  }

  private sessionOf(group: number): Session {
    const session = this.sessions.get(group)
    if (session === undefined) throw new StoreUnavailable(`the node with the group ${group} is not in the cluster`)
    return session
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeAll(this.sessions)
  }
}

const undefined_table = '42P01'
const query_canceled = '57014'
const deadlock_detected = '40P01'

/** Connects to every node. Rejects if another server answers at the address of one. */
async function connect({ config, ...rest }: Address, read: ReadNow): Promise<OnNodes<Connected>> {
  const [nodes, identities] = [await read(readNodes), await read(readIdentities)]
  // A transaction is idle while other nodes are read.
  const patient = { ...config, idle_in_transaction_session_timeout: 0 }
  const connected = new Map<number, Connected>()
  try {
    for (const { group, host, port } of nodes) {
      // The program reaches the coordinator by the address that it was given.
      const connectionString =
        group === 0 ? config.connectionString : leadTo(config.connectionString as string, host, port)
      const address = { ...rest, holdsRows: true, config: { ...patient, connectionString } }
      const client = await openClient(address)
      connected.set(group, { client, address })
      const expected = identities.find(({ name }) => name === `${host}:${port}`)?.identity
      const { rows } = await run<{ identity: string }>(client, { sql: `select (${identity}) as identity`, values: [] })
      if (expected === undefined) throw new StoreUnavailable(`the node ${host}:${port} does not answer the coordinator`)
      if (rows[0]?.identity !== expected)
        throw new StoreUnavailable(`another server answers at the address of the node ${host}:${port}`)
    }
    return connected
  } catch (error) {
    await closeAll(connected)
    throw error
  }
}

/** Runs `work` while no organization writes. Null if their writes could not be paused now. */
async function pausing<T>(
  nodes: OnNodes<Connected>,
  shards: readonly PlacedShard[],
  work: () => Promise<T>,
): Promise<T | null> {
  const heads = Map.groupBy(
    shards.filter(({ table }) => table === 'audit_heads'),
    ({ group }) => group,
  )
  const clients: pg.Client[] = []
  try {
    for (const group of heads.keys()) clients.push(await openClient((nodes.get(group) as Connected).address))
    await Promise.all([...heads.values()].map((own, i) => lock(clients[i] as pg.Client, own)))
    return await work()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === query_canceled || code === deadlock_detected) return null
    throw error
  } finally {
    // The locks end with the connections.
    await Promise.all(clients.map(closeClient))
  }
}

async function lock(client: pg.Client, shards: readonly PlacedShard[]): Promise<void> {
  await client.query('begin')
  // Citus takes a lock on a shard for a change that it should make itself.
  await client.query('set local citus.enable_manual_changes_to_shards to on')
  // A limit of locks (`lock_timeout`) would begin again at each shard.
  await client.query(`set local statement_timeout to ${db_limits.backup_pause_ms}`)
  await client.query(`lock table ${shards.map(({ shard }) => shard).join()} in exclusive mode`)
}

/** Begins a transaction on each node. */
async function beginOn(nodes: OnNodes<Connected>): Promise<OnNodes<Session>> {
  const sessions = new Map<number, Session>()
  for (const [group, { client, address }] of nodes) {
    const transaction = new PostgresTransaction(client, address, 'repeatable read read only', 'system')
    sessions.set(group, { client, address, transaction, reader: new PostgresTx(transaction) })
  }
  await Promise.all([...sessions.values()].map(({ reader }) => reader.first(begin)))
  return sessions
}

async function closeAll(nodes: OnNodes<Connected>): Promise<void> {
  await Promise.all([...nodes.values()].map(({ client }) => closeClient(client)))
}

/** The rows of a table's parts, in the order of its key. */
async function* inOrder(parts: readonly Part[], key: readonly string[]): AsyncGenerator<readonly TableRow[]> {
  const count = parts.length === 1 ? db_limits.backup_page_rows : db_limits.backup_shard_page_rows
  const sources = parts.map(({ name, reader }) => new Source(pagesOf(reader, name, key, count)))
  await Promise.all(sources.map((source) => source.advance()))
  let page: TableRow[] = []
  for (;;) {
    const first = leastOf(sources, key)
    if (first?.row == null) break
    page.push(first.row)
    await first.advance()
    if (page.length < db_limits.backup_page_rows) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** The rows of one part. */
class Source {
  /** The next row; null behind the last. */
  row: TableRow | null = null
  private readonly pages: AsyncIterator<readonly TableRow[]>
  private page: readonly TableRow[] = []
  private next = 0

  constructor(pages: AsyncIterator<readonly TableRow[]>) {
    this.pages = pages
  }

  async advance(): Promise<void> {
    if (this.next === this.page.length) {
      const { value, done } = await this.pages.next()
      this.page = done === true ? [] : value
      this.next = 0
    }
    this.row = this.page[this.next++] ?? null
  }
}

function leastOf(sources: readonly Source[], key: readonly string[]): Source | null {
  let least: Source | null = null
  for (const source of sources) {
    if (source.row === null) continue
    if (least?.row == null || isBefore(source.row, least.row, key)) least = source
  }
  return least
}

function isBefore(one: TableRow, other: TableRow, key: readonly string[]): boolean {
  for (const column of key) {
    const [a, b] = [one[column] ?? '', other[column] ?? '']
    if (a !== b) return a < b
  }
  return false
}
