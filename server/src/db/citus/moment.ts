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
import { PostgresTransaction, PostgresTx } from '../postgres/tx.ts'
import { type AnyQuery, onceQuery, rawQuery } from '../query.ts'
import { type Moment, type Reader, StoreUnavailable, type TableRow } from '../store.ts'
import { readIdentity } from './node.ts'
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

interface Session {
  readonly client: pg.Client
  readonly transaction: PostgresTransaction
  readonly reader: PostgresTx
}

/** A part of a table: the whole of it, or a shard. */
interface Part {
  readonly name: string
  readonly reader: Reader
}

export class ClusterMoment implements AsyncDisposable {
  private readonly sessions: ReadonlyMap<number, Session>
  private readonly shards: ReadonlyMap<string, readonly PlacedShard[]>

  private constructor(sessions: ReadonlyMap<number, Session>, shards: readonly PlacedShard[]) {
    this.sessions = sessions
    this.shards = Map.groupBy(shards, ({ table }) => table)
  }

  /** `coordinator` reads from the coordinator, which is at `address`. Rejects with StoreUnavailable. */
  static async open(address: Address, coordinator: ReadRows): Promise<ClusterMoment> {
    const read = async <R>(query: AnyQuery<R>) => (await coordinator('system', query, {})) as R[]
    try {
      const until = performance.now() + db_limits.backup_pauses_ms
      for (let attempt = 1; ; attempt++) {
        const shards = await read(readShards)
        const nodes = await addressesOf(address, await read(readNodes), await read(readIdentities))
        const sessions = await pausing(nodes, shards, () => beginOn(nodes))
        // A shard that has moved since is no longer where it would be looked for.
        const isSame = sessions !== null && JSON.stringify(await read(readShards)) === JSON.stringify(shards)
        if (isSame) return new ClusterMoment(sessions, shards)
        if (sessions !== null) await closeAll(sessions)
        if (performance.now() > until)
          throw new StoreUnavailable(`writes could not be paused within ${db_limits.backup_pauses_ms / 1000} s`)
        await backOff(attempt, db_limits.transaction_pause_ms)
      }
    } catch (error) {
      throw asStoreError(error)
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
      throw error
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
const lock_not_available = '55P03'
const deadlock_detected = '40P01'

/** Rejects if another server answers at the address of a node. */
async function addressesOf(
  { config, ...rest }: Address,
  nodes: readonly Node[],
  identities: readonly { name: string; identity: string }[],
): Promise<ReadonlyMap<number, Address>> {
  // A transaction is idle while other nodes are read.
  const patient = { ...config, idle_in_transaction_session_timeout: 0 }
  const addresses = new Map<number, Address>([[0, { ...rest, holdsRows: true, config: patient }]])
  for (const { group, host, port } of nodes) {
    if (group === 0) continue
    const connectionString = leadTo(config.connectionString as string, host, port)
    const address = { ...rest, holdsRows: true, config: { ...patient, connectionString } }
    const expected = identities.find(({ name }) => name === `${host}:${port}`)?.identity
    if (expected === undefined) throw new StoreUnavailable(`the node ${host}:${port} does not answer the coordinator`)
    await using session = await sessionAt(address)
    if ((await session.reader.first(readIdentity))?.identity !== expected)
      throw new StoreUnavailable(`another server answers at the address of the node ${host}:${port}`)
    addresses.set(group, address)
  }
  return addresses
}

/** Runs `work` while no organization writes. Null if their writes could not be paused now. */
async function pausing<T>(
  nodes: ReadonlyMap<number, Address>,
  shards: readonly PlacedShard[],
  work: () => Promise<T>,
): Promise<T | null> {
  const heads = Map.groupBy(
    shards.filter(({ table }) => table === 'audit_heads'),
    ({ group }) => group,
  )
  const clients: pg.Client[] = []
  try {
    for (const group of heads.keys()) clients.push(await openClient(nodes.get(group) as Address))
    await Promise.all([...heads.values()].map((own, i) => lock(clients[i] as pg.Client, own)))
    return await work()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === lock_not_available || code === deadlock_detected) return null
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
  await client.query(`set local lock_timeout to ${db_limits.backup_pause_ms}`)
  await client.query(`lock table ${shards.map(({ shard }) => shard).join()} in exclusive mode`)
}

async function sessionAt(address: Address): Promise<Session & AsyncDisposable> {
  const client = await openClient(address)
  const transaction = new PostgresTransaction(client, address, 'repeatable read read only', 'system')
  const reader = new PostgresTx(transaction)
  return { client, transaction, reader, [Symbol.asyncDispose]: () => closeClient(client) }
}

/** Begins a transaction on each node. */
async function beginOn(nodes: ReadonlyMap<number, Address>): Promise<ReadonlyMap<number, Session>> {
  const sessions = new Map<number, Session>()
  try {
    const opened = [...nodes].map(async ([group, address]) => {
      const session = await sessionAt(address)
      sessions.set(group, session)
      await session.reader.first(begin)
    })
    for (const { reason } of (await Promise.allSettled(opened)) as { reason?: unknown }[]) if (reason) throw reason
    return sessions
  } catch (error) {
    await closeAll(sessions)
    throw error
  }
}

async function closeAll(sessions: ReadonlyMap<number, Session>): Promise<void> {
  await Promise.all([...sessions.values()].map(({ client }) => closeClient(client)))
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
