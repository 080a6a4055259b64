/**
 * PostgreSQL through `pg`. Reads share a few pipelined connections; each query's scope is set before it. Writes of all
 * organizations queue up and share transactions (group commit); each first locks the audit heads of its organizations, so
 * writes of one organization are serial over all processes. A batch of several organizations never waits long for a lock:
 * what it cannot have commits by itself. A failed batch is rolled back as a whole and repeated if the error is temporary,
 * unnoticed by the caller; the jobs of other organizations are repeated once, without the organization that failed. A
 * commit whose answer was lost is repeated only for jobs that find their own earlier record. On Citus, what concerns one
 * organization is sent to the node that holds its rows; what fails there because rows are elsewhere runs through the coordinator.
 */
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { backOff } from '../../lib/back-off.ts'
import { momentOf } from '../backup/whole-tables.ts'
import { ClusterMoment } from '../citus/moment.ts'
import type { ShardNode } from '../citus/node.ts'
import { ClusterNodes } from '../citus/nodes.ts'
import type { OnNode } from '../citus/on-node.ts'
import { probeWrites } from '../engine/probe-writes.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, rawQuery, type Values } from '../query.ts'
import {
  type Bound,
  DatabaseMisconfigured,
  type Finding,
  type Job,
  type Moment,
  type NodeStatus,
  organizationOf,
  type Reader,
  type ReplicaStatus,
  type Scope,
  type Settled,
  type Store,
  type StoreStatus,
  StoreUnavailable,
  type TenantScope,
  type Tx,
  type ViewOf,
  type Waiting,
  type WriteOptions,
  waitFor,
  widest,
} from '../store.ts'
import { type Address, closeClient, openClient, prepareClient } from './client.ts'
import { asStoreError, isConnectionLost, isRetryable, isUnwritable, RowsElsewhere } from './errors.ts'
import { Lanes } from './lanes.ts'
import { broadcast_channel, PostgresListener } from './listener.ts'
import { newApplicationName, PostgresProcesses } from './processes.ts'
import { PostgresReads, PostgresSessions } from './reads.ts'
import { Replicas } from './replicas.ts'
import { Statistics } from './statistics.ts'
import { PostgresTransaction, PostgresTx } from './tx.ts'

pg.types.setTypeParser(20, Number)

const none: Values = {}

const recovery = rawQuery(
  () => sql<{ standby: number }>`select case when pg_is_in_recovery() then 1 else 0 end as standby`,
)

const replica_of_citus =
  'ATRIUM_DATABASE_READ_URL is not supported with Citus, whose nodes already share the reads. Remove it.'

/** Any number; all processes that migrate a database must take the same lock. */
const migration_lock = 727_402

export class PostgresStore implements Store {
  readonly dialect = 'postgres'
  readonly findings = []
  readonly processes: PostgresProcesses
  readonly isDistributed: boolean
  private readonly address: Address
  /** Leads to PostgreSQL itself, where `address` leads to a pooler. */
  private readonly direct: Address
  private readonly pool: pg.Pool
  /** Null on Citus, whose nodes have the tables. */
  private readonly statistics: Statistics | null
  private readonly sessions: PostgresSessions
  private readonly reads: PostgresReads
  /** Null without replicas. */
  private readonly replicas: Replicas | null
  private readonly replicaReads: PostgresReads
  /** Null if all statements go to one address. */
  private readonly nodes: ClusterNodes | null
  private readonly watchers = new Set<(realm: number) => void>()
  private readonly broadcasts = new Set<(text: string) => void>()
  private readonly listener: PostgresListener
  private readonly lanes: Lanes
  /** Jobs that their node could not run: each organization's run through the coordinator. */
  private readonly elsewhere = new WeakSet<Waiting>()
  private readonly queues = new Map<string, Waiting[]>()
  private readonly running = new Set<Promise<void>>()
  private next = 0
  private waiting = 0
  private writes = 0
  private commits = 0
  private closed = false
  /** Whether a write was refused because a disk of the server is full or broken, and no probe was stored since. */
  private isDiskFull = false
  private probing: Promise<void> | null = null

  /** `reads` are the URLs of replicas. `usesNodes`: connects to the nodes of a Citus cluster, not only to the coordinator. */
  constructor(address: Address, direct: Address = address, reads: readonly string[] = [], usesNodes = false) {
    const application_name = newApplicationName()
    const named = ({ config, ...rest }: Address): Address => ({ ...rest, config: { ...config, application_name } })
    // The sessions of a pooler outlive the process, and must not show its name.
    this.address = address.isPooled ? address : named(address)
    this.direct = named(direct)
    this.isDistributed = address.isCitus
    if (address.isCitus && reads.length > 0) throw new DatabaseMisconfigured(replica_of_citus)
    this.pool = new pg.Pool({
      ...this.address.config,
      max: db_limits.write_connections,
      idleTimeoutMillis: db_limits.idle_connection_ms,
      onConnect: (client) => prepareClient(client, this.address),
    })
    this.pool.on('error', () => {})
    this.statistics = address.isCitus ? null : new Statistics(this.pool)
    this.listener = new PostgresListener(this.direct, this.watchers, this.broadcasts)
    this.sessions = new PostgresSessions(this.address)
    this.nodes = address.isCitus && usesNodes ? new ClusterNodes(this.address, this.sessions.rows, this.watchers) : null
    const rows = this.nodes?.rows ?? this.sessions.rows
    const serverOf = (scope: Scope) => (scope === 'system' ? null : this.serverOf(scope))
    const commit: ConstructorParameters<typeof Lanes>[0] = (batch, release) => this.commitShared(batch, release)
    const { write_lanes, node_lanes, cluster_lanes } = db_limits
    const ofCluster = { most: cluster_lanes, mostOfServer: node_lanes }
    const lanesMax = address.isCitus ? ofCluster : { most: write_lanes, mostOfServer: write_lanes }
    this.lanes = new Lanes(commit, lanesMax, serverOf)
    const { joins, placeOf } = this.nodes ?? { joins: () => !address.isCitus, placeOf: () => null }
    this.reads = address.isCitus ? new PostgresReads(() => rows, joins, placeOf) : new PostgresReads(() => rows)
    const replicas = reads.length === 0 ? null : new Replicas(reads, this.address, this.sessions.rows)
    this.replicas = replicas
    this.replicaReads = replicas === null ? this.reads : new PostgresReads(() => replicas.begin())
    this.processes = new PostgresProcesses(this.reader('system'), application_name, () => this.listener.keep())
  }

  watch(listener: (realm: number) => void): () => void {
    this.watchers.add(listener)
    this.listener.keep()
    this.nodes?.listen()
    return () => this.watchers.delete(listener)
  }

  async broadcast(text: string): Promise<void> {
    // Commits of notifications exclude each other, those of events too: this one must not wait for the disk.
    const send = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`
    await this.pool.query(send, [broadcast_channel, text]).catch(() => {})
  }

  onBroadcast(listener: (text: string) => void): () => void {
    this.broadcasts.add(listener)
    this.listener.keep()
    return () => this.broadcasts.delete(listener)
  }

  reader(scope: Scope): Reader {
    return readerOver(this.reads, scope)
  }

  replicaReader(scope: Scope): Reader {
    return readerOver(this.replicaReads, scope)
  }

  async snapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    // Through the coordinator on Citus: what has read a part cannot be repeated elsewhere.
    const client = await this.connect(null)
    const transaction = new PostgresTransaction(client, this.address, 'repeatable read read only', scope)
    try {
      const value = await readWithin(transaction, read)
      client.release()
      return value
    } catch (error) {
      await abandon(client, transaction, error)
      throw asStoreError(error)
    }
  }

  async moment<T>(read: (moment: Moment) => Promise<T>): Promise<T> {
    if (!this.address.isCitus) return await this.snapshot('system', (reader) => read(momentOf(reader)))
    await using moment = await ClusterMoment.open(this.address, this.sessions.rows)
    return await moment.run(read)
  }

  async replicaSnapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    const opened = (await this.replicas?.pick()?.connect()) ?? null
    if (opened === null) return await this.snapshot(scope, read)
    const { client, address } = opened
    try {
      return await readWithin(new PostgresTransaction(client, address, 'repeatable read read only', scope), read)
    } catch (error) {
      // Recovery may end the snapshot, or the replica may lack a table that the primary has.
      if (error instanceof pg.DatabaseError) throw new StoreUnavailable('the replica ended the snapshot', error)
      throw asStoreError(error)
    } finally {
      await closeClient(client).catch(() => {})
    }
  }

  async replicaStatus(): Promise<ReplicaStatus[]> {
    return (await this.replicas?.status()) ?? []
  }

  async nodeStatus(): Promise<NodeStatus[]> {
    return (await this.nodes?.status()) ?? []
  }

  write<T>(scope: Scope, job: Job<T>, options: WriteOptions = {}): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.waiting >= db_limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes wait'))
    const { waiting, value } = waitFor(scope, job, options)
    // The system's jobs are independent: none waits for another that waits for a lock.
    if (scope === 'system') this.enqueue(waiting, `system ${this.next++}`)
    else {
      this.waiting++
      this.lanes.add(waiting)
    }
    return value
  }

  serverOf(scope: TenantScope): string | null {
    if (!this.isDistributed) return ''
    return this.nodes?.placeOf(scope)?.server ?? null
  }

  writeAcross<T>(scopes: readonly TenantScope[], job: (viewOf: ViewOf) => Promise<T>): Promise<T> {
    // The store gives its jobs no other transactions.
    const across = (tx: Tx) => job((scope) => (tx as PostgresTx).viewOf(scope))
    return this.writeAlone(across, { across: scopes, joinsTurns: true })
  }

  private writeAlone<T>(job: Job<T>, options: Pick<Partial<Waiting>, 'across' | 'joinsTurns'>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.waiting >= db_limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes wait'))
    const { waiting, value } = waitFor('system', job, options)
    this.enqueue(waiting, `alone ${this.next++}`)
    return value
  }

  /**
   * An organization's rehearsals have a queue of their own, and meet its writes only at the lock that both take first.
   */
  rehearse<T>(scope: Scope, job: Job<T>): Promise<T> {
    const key = `rehearsal ${scope === 'system' ? scope : scope.organization}`
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if ((this.queues.get(key)?.length ?? 0) >= db_limits.waiting_rehearsals_max)
      return Promise.reject(new StoreUnavailable('too many rehearsals wait'))
    const { waiting, value } = waitFor(scope, job, { rehearsal: true })
    this.enqueue(waiting, key)
    return value
  }

  async writeLog(statements: readonly Bound[]): Promise<number> {
    const byServer = Map.groupBy(statements, ({ values: { realm } }) =>
      this.isDistributed && typeof realm === 'number' ? this.serverOf(scopeOfRealm(realm)) : null,
    )
    const counts = await Promise.all(
      [...byServer].map(([server, own]) => (server === null ? this.writeLogOf(own) : this.writeLogAt(own))),
    )
    const last = [...byServer.values()].findIndex((own) => own.includes(statements.at(-1) as Bound))
    return counts[last] ?? 0
  }

  /** On the node of the statements' realms. */
  private async writeLogAt(statements: readonly Bound[]): Promise<number> {
    const scopes = new Map(statements.map(({ values: { realm } }) => [realm, scopeOfRealm(realm as number)]))
    return await this.writeAcross([...scopes.values()], async (viewOf) => {
      let count: number | Promise<number> = 0
      for (const [i, { query, values }] of statements.entries()) {
        const view = viewOf(scopes.get(values.realm) as TenantScope)
        // A bound statement pairs a query with its own values.
        const own = values as never
        if (i === statements.length - 1) count = view.run(query, own)
        else view.write(query, own)
      }
      return await count
    })
  }

  private writeLogOf(statements: readonly Bound[]): Promise<number> {
    const job = async (tx: Tx) => {
      // A bound statement pairs a query with its own values.
      for (const { query, values } of statements.slice(0, -1)) tx.write(query, values as never)
      const last = statements.at(-1)
      // As above.
      return last === undefined ? 0 : await tx.run(last.query, last.values as never)
    }
    return this.writeAlone(job, { joinsTurns: true })
  }

  private enqueue(waiting: Waiting, key: string): void {
    this.waiting++
    const queue = this.queues.get(key)
    if (queue !== undefined) queue.push(waiting)
    else {
      this.queues.set(key, [waiting])
      const flushing = this.flush(key).finally(() => this.running.delete(flushing))
      this.running.add(flushing)
    }
  }

  private async flush(key: string): Promise<void> {
    const queue = this.queues.get(key) as Waiting[]
    while (queue.length > 0) {
      await new Promise(setImmediate)
      const batch = queue.splice(0, queue[0]?.rehearsal ? 1 : db_limits.batch_writes_max)
      this.settle(batch, await this.runBatch(batch, retryUntil()))
    }
    this.queues.delete(key)
  }

  private settle(batch: readonly Waiting[], settled: readonly Settled[]): void {
    this.waiting -= batch.length
    batch.forEach((waiting, i) => {
      waiting.settle(settled[i] as Settled)
    })
  }

  /** Commits a lane's batch. What must wait for locks, or failed, no longer occupies the lane. Never rejects. */
  private async commitShared(batch: readonly Waiting[], release: (organization: string) => void): Promise<void> {
    const finish = (jobs: readonly Waiting[], settled: readonly Settled[]): void => {
      this.settle(jobs, settled)
      for (const organization of groupsOf(jobs).keys()) release(organization)
    }
    if (groupsOf(batch).size === 1) return finish(batch, await this.runBatch(batch, retryUntil()))
    const { done, left } = await this.tryShared(batch, 'skip')
    finish(done.jobs, done.settled)
    if (left.length > 0) this.keep(this.commitLeft(left, finish))
  }

  private keep(work: Promise<void>): void {
    const kept = work.finally(() => this.running.delete(kept))
    this.running.add(kept)
  }

  /** Waits for the locks together, then organization by organization. */
  private async commitLeft(batch: readonly Waiting[], finish: Finish): Promise<void> {
    const commitEach = async (jobs: readonly Waiting[]): Promise<void> => {
      await Promise.all(
        [...groupsOf(jobs).values()].map(async (each) => finish(each, await this.runBatch(each, retryUntil()))),
      )
    }
    const isSeparate = (waiting: Waiting): boolean =>
      this.elsewhere.has(waiting) || this.lanes.isSeparate(organizationOf(waiting.scope))
    const shared = batch.filter((waiting) => !isSeparate(waiting))
    const separate = commitEach(batch.filter(isSeparate))
    if (groupsOf(shared).size > 1) {
      const { done, left } = await this.tryShared(shared, 'wait')
      finish(done.jobs, done.settled)
      await commitEach(left)
    } else await commitEach(shared)
    await separate
  }

  /** Runs a batch of several organizations once. `left` has the jobs of which nothing was committed. */
  private async tryShared(batch: readonly Waiting[], whenTaken: 'wait' | 'skip'): Promise<Tried> {
    try {
      const { jobs, settled } = await this.transaction(batch, whenTaken)
      return { done: { jobs, settled }, left: batch.filter((waiting) => !jobs.includes(waiting)) }
    } catch (error) {
      if (error instanceof StoreUnavailable && error.uncertain) {
        const refused = batch.filter((waiting) => !waiting.recorded)
        return {
          done: { jobs: refused, settled: refused.map(() => ({ error })) },
          left: batch.filter((waiting) => waiting.recorded),
        }
      }
      return { done: { jobs: [], settled: [] }, left: batch }
    }
  }

  /**
   * Runs all jobs in one transaction, and again while time remains if it collided or lost its connection; if a job
   * fails it, each job in its own transaction. Never rejects.
   */
  private async runBatch(batch: readonly Waiting[], until: number): Promise<Settled[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return [...(await this.transaction(batch)).settled]
      } catch (error) {
        const uncertain = error instanceof StoreUnavailable && error.uncertain
        if (uncertain && !batch.every((waiting) => waiting.recorded))
          return await this.retryRecorded(batch, until, error)
        const collided = isRetryable(error)
        const passing = collided || isConnectionLost(error)
        if (performance.now() > until || (!passing && batch.length === 1)) {
          return batch.map(() => ({ error: asStoreError(error) }))
        }
        if (!passing || (collided && batch.length > 1 && attempt >= db_limits.transaction_attempts_max)) break
      }
      await backOff(attempt, db_limits.transaction_pause_ms)
    }
    const settled: Settled[] = []
    for (const one of batch) settled.push(...(await this.runBatch([one], until)))
    return settled
  }

  /** Whether the batch was committed is unknown: only jobs that find their own record run again. */
  private async retryRecorded(batch: readonly Waiting[], until: number, error: StoreUnavailable): Promise<Settled[]> {
    const recorded = batch.filter((waiting) => waiting.recorded)
    const again = recorded.length === 0 ? [] : await this.runBatch(recorded, until)
    return batch.map((waiting) => (waiting.recorded ? (again.shift() as Settled) : { error }))
  }

  /** Returns the jobs that ran: all, or those whose locks were free. */
  private async transaction(batch: readonly Waiting[], whenTaken: 'wait' | 'skip' = 'wait'): Promise<Ran> {
    const visible = widest(batch)
    const isLeft = batch.some((waiting) => this.elsewhere.has(waiting))
    const at = isLeft ? null : (this.nodes?.of(visible) ?? null)
    if (at !== null) {
      try {
        return await this.transactionAt(at, batch, visible, whenTaken)
      } catch (error) {
        // What the node could not do changed nothing, unless its commit is uncertain.
        const isUncertain = error instanceof StoreUnavailable && error.uncertain
        if (this.nodes?.leaves(at.node, error) !== true || isUncertain) throw error
        for (const waiting of batch) this.elsewhere.add(waiting)
      }
    }
    // Through the coordinator, the transaction of a request leads to one shard.
    const isShared = visible !== 'system' && visible.length > 1 && batch[0]?.across === null
    if (this.isDistributed && isShared) throw new RowsElsewhere('the organizations are not on one node')
    return await this.transactionAt(null, batch, visible, whenTaken)
  }

  private async transactionAt(
    at: OnNode | null,
    batch: readonly Waiting[],
    visible: readonly TenantScope[] | 'system',
    whenTaken: 'wait' | 'skip',
  ): Promise<Ran> {
    const node = at?.node ?? null
    const client = await this.connect(node)
    const { rehearsal, across, joinsTurns } = batch[0] as Waiting
    const address = node?.address ?? this.address
    const transaction = new PostgresTransaction(client, address, 'read committed read write', visible, at)
    try {
      if (joinsTurns) transaction.joinTurns()
      const isUnlocked = visible === 'system' || across !== null
      const jobs = isUnlocked ? batch : await prepareJobs(transaction, batch, visible, whenTaken)
      const settled: Settled[] = []
      let written = 0
      for (const waiting of jobs) {
        const tx = new PostgresTx(transaction, waiting.scope)
        settled.push(await this.runJob(transaction, tx, waiting))
        if (tx.dirty) written++
      }
      if (rehearsal || jobs.length === 0) await transaction.settled()
      else await transaction.commit()
      client.release()
      if (rehearsal) return { jobs, settled }
      this.writes += written
      if (written > 0) this.commits++
      if (this.statistics?.add(transaction.inserted)) this.keep(this.statistics.take())
      return { jobs, settled }
    } catch (error) {
      if (isUnwritable(error)) this.isDiskFull = true
      await abandon(client, transaction, error)
      throw error
    }
  }

  /**
   * A job that fails leaves the transaction to the others, unless it has written or the engine has refused a statement.
   */
  private async runJob(transaction: PostgresTransaction, tx: PostgresTx, { scope, job }: Waiting): Promise<Settled> {
    try {
      return { value: await job(tx) }
    } catch (error) {
      if (!tx.dirty && !transaction.failed) return { error }
      if (!transaction.failed && scope !== 'system') this.lanes.separate(scope.organization)
      throw transaction.causeOf(error)
    } finally {
      tx.end()
    }
  }

  private async connect(node: ShardNode | null): Promise<pg.PoolClient> {
    try {
      return await (node ?? this.pool).connect()
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  /** On a connection of its own, past any pooler, without a statement timeout. */
  async migrate<T>(job: Job<T>): Promise<T> {
    const unlimited = { statement_timeout: 0, query_timeout: 0, lock_timeout: db_limits.migration_wait_ms }
    const { direct } = this
    const client = await this.openForMigration({ ...direct, config: { ...direct.config, ...unlimited } })
    const transaction = new PostgresTransaction(client, direct, 'read committed read write', 'system')
    const tx = new PostgresTx(transaction)
    try {
      await client.query(`select pg_advisory_xact_lock(${migration_lock})`)
      // Citus would change shards in parallel, and refuse that after other statements of the transaction.
      if (direct.isCitus) await client.query(`set local citus.multi_shard_modify_mode to 'sequential'`)
      const value = await job(tx)
      tx.end()
      await transaction.commit()
      // A restore fills all tables at once.
      if (this.statistics !== null) this.keep(this.statistics.take())
      return value
    } catch (error) {
      throw asStoreError(error)
    } finally {
      await closeClient(client)
    }
  }

  private async openForMigration(address: Address): Promise<pg.Client> {
    try {
      return await openClient(address)
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  /** PostgreSQL checks its own pages when it reads them. */
  async check(): Promise<Finding[]> {
    return []
  }

  async ping(): Promise<void> {
    await this.sessions.ping()
    const found = await this.reader('system').first(recovery)
    if (found?.standby === 1) throw new StoreUnavailable('the database is a read-only standby')
    if (!this.isDiskFull) return
    this.probing ??= this.probe().finally(() => {
      this.probing = null
    })
    await this.probing
  }

  /** Writes that need no new pages pass while the disk is full, so only a probe ends the fault. */
  private async probe(): Promise<void> {
    await probeWrites(this)
    this.isDiskFull = false
  }

  status(): StoreStatus {
    return { writes: this.writes, commits: this.commits, waiting: this.waiting }
  }

  async close(): Promise<void> {
    this.closed = true
    while (this.running.size > 0 || this.lanes.isRunning) await Promise.all([...this.running, this.lanes.ended()])
    await this.nodes?.close()
    await Promise.all([this.pool.end(), this.listener.close(), this.sessions.close(), this.replicas?.close()])
  }
}

function readerOver(reads: PostgresReads, scope: Scope): Reader {
  return {
    dialect: 'postgres',
    all: <R>(query: AnyQuery<R>, values: Values = none) => reads.rows(scope, query, values),
    first: async <R>(query: AnyQuery<R>, values: Values = none) => (await reads.rows(scope, query, values))[0],
  }
}

async function readWithin<T>(transaction: PostgresTransaction, read: (reader: Reader) => Promise<T>): Promise<T> {
  const tx = new PostgresTx(transaction)
  try {
    const value = await read(tx)
    tx.end()
    // The reads count only if the transaction and its scope were set.
    await transaction.settled()
    return value
  } catch (error) {
    throw transaction.causeOf(error)
  } finally {
    tx.end()
  }
}

/** For rows that only name their realm. */
function scopeOfRealm(realm: number): TenantScope {
  return { organization: `of realm ${realm}`, realms: [realm] }
}

/** The jobs that ran, and their outcomes. */
interface Ran {
  readonly jobs: readonly Waiting[]
  readonly settled: readonly Settled[]
}

interface Tried {
  readonly done: Ran
  readonly left: readonly Waiting[]
}

type Finish = (jobs: readonly Waiting[], settled: readonly Settled[]) => void

function retryUntil(): number {
  return performance.now() + db_limits.transaction_retries_ms
}

/** The jobs by organization, in their order. */
function groupsOf(batch: readonly Waiting[]): Map<string, Waiting[]> {
  return Map.groupBy(batch, ({ scope }) => organizationOf(scope))
}

/**
 * Locks the organizations' logs before any job's first read, so what a job reads stays true, and sends the jobs' look-ups.
 * Returns the jobs whose organizations are locked.
 */
async function prepareJobs(
  transaction: PostgresTransaction,
  batch: readonly Waiting[],
  visible: readonly TenantScope[],
  whenTaken: 'wait' | 'skip',
): Promise<readonly Waiting[]> {
  const organizations = visible.map(({ organization }) => organization)
  const [first = '', ...more] = organizations
  let locking: Promise<ReadonlySet<string>> | null = null
  if (more.length > 0) locking = transaction.lockMany(organizations, whenTaken)
  else transaction.lock(first)
  transaction.gather(() => {
    for (const waiting of batch) askAhead(transaction, waiting)
  })
  const locked = await locking
  return locked === null ? batch : batch.filter(({ scope }) => locked.has(organizationOf(scope)))
}

/** Sends the look-ups that a job will certainly make. The job makes them again and handles their errors. */
function askAhead(transaction: PostgresTransaction, { ahead, scope }: Waiting): void {
  if (ahead === null) return
  const tx = new PostgresTx(transaction, scope, true)
  ahead(tx).catch(() => {})
  // A look-up that depends on another one would be sent between the jobs.
  tx.end()
}

/** Ends a failed transaction; drops the connection if it does not answer. */
async function abandon(client: pg.PoolClient, transaction: PostgresTransaction, reason: unknown): Promise<void> {
  if (isConnectionLost(reason)) return client.release(true)
  try {
    await transaction.rollBack()
    client.release()
  } catch {
    client.release(true)
  }
}
