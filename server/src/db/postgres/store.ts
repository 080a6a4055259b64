/**
 * PostgreSQL through `pg`. Reads share a few pipelined connections; each query's scope is set before it. Writes of one
 * organization queue up and share transactions (group commit); the first statement of each locks the organization's
 * audit head, so writes of one organization are serial over all processes, while organizations run side by side. A
 * failed batch is rolled back as a whole and repeated if the error is temporary, unnoticed by the caller. A commit
 * whose answer was lost is repeated only for jobs that find their own earlier record.
 */
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { backOff } from '../../lib/back-off.ts'
import { db_limits } from '../limits.ts'
import { probeWrites } from '../probe-writes.ts'
import { type AnyQuery, rawQuery, type Values } from '../query.ts'
import {
  type Bound,
  type Finding,
  type Job,
  type Reader,
  type Scope,
  type Settled,
  type Store,
  type StoreStatus,
  StoreUnavailable,
  type Waiting,
  type WriteOptions,
  waitFor,
  widest,
} from '../store.ts'
import { clientConfig, closeClient, openClient, prepareClient } from './client.ts'
import { asStoreError, isConnectionLost, isRetryable, isUnwritable } from './errors.ts'
import { PostgresListener } from './listener.ts'
import { newApplicationName, PostgresProcesses } from './processes.ts'
import { PostgresReads } from './reads.ts'
import { PostgresTransaction, PostgresTx } from './tx.ts'

pg.types.setTypeParser(20, Number)

const none: Values = {}

const recovery = rawQuery(
  () => sql<{ standby: number }>`select case when pg_is_in_recovery() then 1 else 0 end as standby`,
)

/** Any number; all processes that migrate a database must take the same lock. */
const migration_lock = 727_402

export class PostgresStore implements Store {
  readonly dialect = 'postgres'
  readonly findings = []
  readonly processes: PostgresProcesses
  private readonly config: pg.ClientConfig
  private readonly bypassesRowSecurity: boolean
  private readonly pool: pg.Pool
  private readonly reads: PostgresReads
  private readonly listener: PostgresListener
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

  constructor(url: string, bypassesRowSecurity: boolean) {
    const application_name = newApplicationName()
    this.config = { ...clientConfig(url), application_name }
    this.bypassesRowSecurity = bypassesRowSecurity
    this.pool = new pg.Pool({
      ...this.config,
      max: db_limits.write_connections,
      idleTimeoutMillis: db_limits.idle_connection_ms,
      onConnect: (client) => prepareClient(client, bypassesRowSecurity),
    })
    this.pool.on('error', () => {})
    this.listener = new PostgresListener(this.config, bypassesRowSecurity)
    this.reads = new PostgresReads(this.config, bypassesRowSecurity)
    this.processes = new PostgresProcesses(this.reader('system'), application_name, () => this.listener.keep())
  }

  watch(listener: (realm: number) => void): () => void {
    return this.listener.add(listener)
  }

  reader(scope: Scope): Reader {
    return {
      dialect: 'postgres',
      all: <R>(query: AnyQuery<R>, values: Values = none) => this.reads.rows(scope, query, values),
      first: async <R>(query: AnyQuery<R>, values: Values = none) => (await this.reads.rows(scope, query, values))[0],
    }
  }

  async snapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    const client = await this.connect()
    const transaction = new PostgresTransaction(client, 'repeatable read read only', scope)
    const tx = new PostgresTx(transaction)
    try {
      const value = await read(tx)
      tx.end()
      // The reads count only if the transaction and its scope were set.
      await transaction.settled()
      client.release()
      return value
    } catch (error) {
      tx.end()
      await abandon(client, transaction, error)
      throw asStoreError(error)
    }
  }

  write<T>(scope: Scope, job: Job<T>, options: WriteOptions = {}): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.waiting >= db_limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes wait'))
    const { waiting, value } = waitFor(scope, job, options)
    // The system's jobs are independent: none waits for another that waits for a lock.
    this.enqueue(waiting, scope === 'system' ? `system ${this.next++}` : scope.organization)
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

  writeLog(statements: readonly Bound[]): Promise<number> {
    return this.write('system', async (tx) => {
      // A bound statement pairs a query with its own values.
      for (const { query, values } of statements.slice(0, -1)) tx.write(query, values as never)
      const last = statements.at(-1)
      // As above.
      return last === undefined ? 0 : await tx.run(last.query, last.values as never)
    })
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
      const settled = await this.runBatch(batch, performance.now() + db_limits.transaction_retries_ms)
      this.waiting -= batch.length
      batch.forEach((waiting, i) => {
        waiting.settle(settled[i] as Settled)
      })
    }
    this.queues.delete(key)
  }

  /**
   * Runs all jobs in one transaction, and again while time remains if it collided or lost its connection; if a job
   * fails it, each job in its own transaction. Never rejects.
   */
  private async runBatch(batch: readonly Waiting[], until: number): Promise<Settled[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transaction(batch)
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

  private async transaction(batch: readonly Waiting[]): Promise<Settled[]> {
    const client = await this.connect()
    const { scope, rehearsal } = batch[0] as Waiting
    const transaction = new PostgresTransaction(client, 'read committed read write', widest(batch))
    try {
      // The organization's logs are locked before any job's first read, so what a job reads stays true.
      if (scope !== 'system') {
        transaction.lock(scope.organization)
        transaction.gather(() => {
          for (const waiting of batch) askAhead(transaction, waiting)
        })
      }
      const settled: Settled[] = []
      let written = 0
      for (const { job } of batch) {
        const tx = new PostgresTx(transaction)
        settled.push(await runJob(transaction, tx, job))
        if (tx.dirty) written++
      }
      if (rehearsal) await transaction.settled()
      else await transaction.commit()
      client.release()
      if (rehearsal) return settled
      this.writes += written
      if (written > 0) this.commits++
      return settled
    } catch (error) {
      if (isUnwritable(error)) this.isDiskFull = true
      await abandon(client, transaction, error)
      throw error
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  /** On a connection of its own, without a statement timeout. */
  async migrate<T>(job: Job<T>): Promise<T> {
    const unlimited = { statement_timeout: 0, query_timeout: 0, lock_timeout: db_limits.migration_wait_ms }
    const client = await this.openForMigration({ ...this.config, ...unlimited })
    const transaction = new PostgresTransaction(client, 'read committed read write', 'system')
    const tx = new PostgresTx(transaction)
    try {
      await client.query(`select pg_advisory_xact_lock(${migration_lock})`)
      const value = await job(tx)
      tx.end()
      await transaction.commit()
      return value
    } catch (error) {
      throw asStoreError(error)
    } finally {
      await closeClient(client)
    }
  }

  private async openForMigration(config: pg.ClientConfig): Promise<pg.Client> {
    try {
      return await openClient(config, this.bypassesRowSecurity)
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  /** PostgreSQL checks its own pages when it reads them. */
  async check(): Promise<Finding[]> {
    return []
  }

  async ping(): Promise<void> {
    await this.reads.ping()
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
    while (this.running.size > 0) await Promise.all(this.running)
    await Promise.all([this.pool.end(), this.listener.close(), this.reads.close()])
  }
}

/** Sends the look-ups that a job will certainly make. The job makes them again and handles their errors. */
function askAhead(transaction: PostgresTransaction, { ahead }: Waiting): void {
  if (ahead === null) return
  const tx = new PostgresTx(transaction, true)
  ahead(tx).catch(() => {})
  // A look-up that depends on another one would be sent between the jobs.
  tx.end()
}

/**
 * A job that fails leaves the transaction to the others, unless it has written or the engine has refused a statement.
 */
async function runJob(transaction: PostgresTransaction, tx: PostgresTx, job: Job<unknown>): Promise<Settled> {
  try {
    return { value: await job(tx) }
  } catch (error) {
    if (tx.dirty || transaction.failed) throw error
    return { error }
  } finally {
    tx.end()
  }
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
