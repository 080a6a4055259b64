/**
 * SQLite through Node's own module, on the main thread. One connection writes, and also reads outside transactions: its
 * page cache survives its own commits, which invalidate the cache of any other connection. A second connection reads
 * committed rows while a transaction is open. Group commit: all jobs that wait when a turn of the event loop ends share
 * one transaction and one fsync. If a job fails after writing, the batch is rolled back and its jobs run again one by
 * one. A job awaits only this module, so no other code of this process runs between its statements. Checkpoints have a
 * thread of their own.
 */
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import { momentOf } from '../backup/whole-tables.ts'
import { probeWrites } from '../engine/probe-writes.ts'
import { db_limits } from '../limits.ts'
import {
  type Bound,
  type Finding,
  type Job,
  type Moment,
  type NodeStatus,
  type Reader,
  type ReplicaStatus,
  type Scope,
  type Settled,
  type Store,
  type StoreStatus,
  StoreUnavailable,
  type TenantScope,
  type ViewOf,
  type Waiting,
  type WriteOptions,
  waitFor,
} from '../store.ts'
import { openChecked } from './checked-log.ts'
import { Checkpoints } from './checkpoints.ts'
import { SqliteConnection } from './connection.ts'
import { readEveryTable, requireSound } from './damage.ts'
import { asStoreError, isBroken, namingDamage, whenFree } from './errors.ts'
import { createPrivately, makePrivate } from './file-modes.ts'
import { Health } from './health.ts'
import { syncLogFile } from './log/file.ts'
import { log_format } from './log/sums.ts'
import { LogWriter } from './log/writer.ts'
import { SqliteProcesses } from './processes.ts'
import { SqliteReader } from './reader.ts'
import { ReaderEnds, ReaderFile, type ReaderLimits, reader_limits } from './reader-files.ts'
import { syncLog } from './synced-log.ts'
import { SqliteTransaction, SqliteTx } from './tx.ts'

/** A job failed after it had written: the transaction must not be committed. */
class BatchFailed extends Error {}

/** The connections of snapshots that are kept for the next ones. */
const spare_max = 2

export class SqliteStore implements Store {
  readonly dialect = 'sqlite'
  readonly isDistributed = false
  readonly findings: Finding[] = []
  readonly processes: SqliteProcesses
  private readonly file: string
  private readonly writing: SqliteConnection
  private readonly reading: SqliteConnection
  private readonly read: SqliteReader
  private readonly health = new Health()
  private probing: Promise<void> | null = null
  private readonly checkpoints: Checkpoints
  private readonly readerEnds: ReaderEnds
  private readonly log: LogWriter
  private readonly spare: SqliteConnection[] = []
  private queue: Waiting[] = []
  private readonly rehearsals: Waiting[] = []
  private flushing: Promise<void> | null = null
  private closed = false
  /** The number of requests to this store. */
  private requests = 0
  private writes = 0
  private commits = 0

  constructor(file: string, readers: ReaderLimits = reader_limits) {
    this.file = file
    this.readerEnds = new ReaderEnds(file, readers)
    createPrivately(file)
    this.writing = openChecked(file, this.findings, () =>
      namingDamage(file, 'main', () => new SqliteConnection(file, 'writes')),
    )
    this.reading = new SqliteConnection(file, 'reads')
    this.read = new SqliteReader(this.writing, this.reading, this.health)
    this.checkpoints = new Checkpoints(file)
    this.log = new LogWriter(file)
    this.processes = new SqliteProcesses(file)
  }

  watch(): () => void {
    return () => {}
  }

  async broadcast(): Promise<void> {}

  onBroadcast(): () => void {
    return () => {}
  }

  reader(_scope: Scope): Reader {
    this.requests++
    return this.read
  }

  /** One file has no replicas. */
  replicaReader(scope: Scope): Reader {
    return this.reader(scope)
  }

  moment<T>(read: (moment: Moment) => Promise<T>): Promise<T> {
    return this.snapshot('system', (reader) => read(momentOf(reader)))
  }

  replicaSnapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    return this.snapshot(scope, read)
  }

  async replicaStatus(): Promise<ReplicaStatus[]> {
    return []
  }

  async nodeStatus(): Promise<NodeStatus[]> {
    return []
  }

  /** On a connection of its own: the reads of other requests must not see an old state meanwhile. */
  async snapshot<T>(_scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    const connection = this.forSnapshot()
    const file = new ReaderFile(this.file)
    try {
      connection.exec('begin')
      return await read(new SqliteReader(null, connection, this.health, () => file.touch()))
    } catch (error) {
      throw asStoreError(error)
    } finally {
      file.remove()
      connection.rollBack()
      if (this.closed || this.spare.length >= spare_max) connection.close()
      else this.spare.push(connection)
    }
  }

  private forSnapshot(): SqliteConnection {
    try {
      return this.spare.pop() ?? new SqliteConnection(this.file, 'reads')
    } catch (error) {
      throw asStoreError(error)
    }
  }

  write<T>(scope: Scope, job: Job<T>, options: WriteOptions = {}): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.queue.length >= db_limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes wait'))
    const { waiting, value } = waitFor(scope, job, options)
    this.requests++
    this.queue.push(waiting)
    this.flushing ??= this.flush()
    return value
  }

  serverOf(): null {
    return null
  }

  writeAcross<T>(_scopes: readonly TenantScope[], job: (viewOf: ViewOf) => Promise<T>): Promise<T> {
    return this.write('system', (tx) => job(() => tx))
  }

  rehearse<T>(scope: Scope, job: Job<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.rehearsals.length >= db_limits.waiting_rehearsals_max)
      return Promise.reject(new StoreUnavailable('too many rehearsals wait'))
    const { waiting, value } = waitFor(scope, job, { rehearsal: true })
    this.rehearsals.push(waiting)
    this.flushing ??= this.flush()
    return value
  }

  writeLog(statements: readonly Bound[]): Promise<number> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    return this.log.write(statements)
  }

  private async flush(): Promise<void> {
    while (this.queue.length + this.rehearsals.length > 0) {
      await this.gather()
      if (this.checkpoints.ending !== null) await this.checkpoints.ending
      const batch = this.queue.splice(0, db_limits.batch_writes_max)
      const settled = batch.length === 0 ? [] : await this.runBatch(batch)
      batch.forEach((waiting, i) => {
        waiting.settle(settled[i] as Settled)
      })
      const rehearsal = this.rehearsals.shift()
      rehearsal?.settle(await this.rehearsed(rehearsal))
    }
    this.flushing = null
  }

  /**
   * Waits while requests keep arriving, longer while they include writes: more writes share the commit, which costs
   * some hundred microseconds and a wait for the disk whatever its size. A single writer does not wait.
   */
  private async gather(): Promise<void> {
    const from = performance.now()
    let wait: number
    do {
      const { requests, queue } = this
      const { length } = queue
      await new Promise(setImmediate)
      if (requests === this.requests || this.queue.length >= db_limits.batch_writes_max) return
      wait = this.queue.length > length ? db_limits.batch_gather_writes_ms : db_limits.batch_gather_ms
    } while (performance.now() - from < wait)
  }

  /** Runs after the batch, with the lock for one job only, and without a wait for the disk. Never rejects. */
  private async rehearsed({ job }: Waiting): Promise<Settled> {
    try {
      await this.begin()
      return await this.runJob(new SqliteTx(new SqliteTransaction(this.writing)), job)
    } catch (error) {
      const reason = error instanceof BatchFailed ? error.cause : error
      this.health.note(reason)
      if (isBroken(reason)) this.writing.drop()
      return { error: asStoreError(reason) }
    } finally {
      this.writing.rollBack()
    }
  }

  /** Runs all jobs in one transaction; if one fails it, each in its own. Never rejects. */
  private async runBatch(batch: readonly Waiting[]): Promise<Settled[]> {
    try {
      return await this.transaction(batch)
    } catch (error) {
      const failed = error instanceof BatchFailed
      if (!failed || batch.length === 1) {
        const reason = asStoreError(failed ? error.cause : error)
        return batch.map(() => ({ error: reason }))
      }
    }
    const settled: Settled[] = []
    for (const one of batch) settled.push(...(await this.runBatch([one])))
    return settled
  }

  private async transaction(batch: readonly Waiting[]): Promise<Settled[]> {
    const settled: Settled[] = []
    await this.begin()
    try {
      const transaction = new SqliteTransaction(this.writing)
      let written = 0
      for (const { job } of batch) {
        const tx = new SqliteTx(transaction)
        settled.push(await this.runJob(tx, job))
        if (tx.dirty) written++
      }
      transaction.closeHeads()
      this.writing.exec(written > 0 ? 'commit' : 'rollback')
      this.writes += written
      if (written > 0) {
        this.commits++
        this.health.committed()
        const frames = this.writing.logFrames()
        this.checkpoints.committed(frames)
        this.readerEnds.committed(frames * log_format.page_bytes)
      }
    } catch (error) {
      this.writing.rollBack()
      const reason = error instanceof BatchFailed ? error.cause : error
      this.health.note(reason)
      if (isBroken(reason)) this.writing.drop()
      throw error
    }
    return settled
  }

  private async runJob(tx: SqliteTx, job: Job<unknown>): Promise<Settled> {
    let settled: Settled
    try {
      settled = { value: await job(tx) }
    } catch (error) {
      settled = { error }
    }
    tx.end()
    if (tx.refused !== null || ('error' in settled && tx.dirty)) {
      throw new BatchFailed('a job failed', { cause: 'error' in settled ? settled.error : tx.refused?.error })
    }
    if (!this.writing.inTransaction) throw new StoreUnavailable('SQLite rolled back by itself')
    return settled
  }

  /**
   * Takes the write lock, and waits for another process that holds it without blocking this one. A process that has
   * just opened the log does not know whether it is on disk; under the lock no other process writes.
   */
  private begin(): Promise<void> {
    return whenFree(async () => {
      try {
        this.writing.begin()
        if (!this.writing.isSynced) await syncLog(this.file)
        this.writing.isSynced = true
      } catch (error) {
        this.writing.rollBack()
        if (isBroken(error)) this.writing.drop()
        throw error
      }
    })
  }

  /** The request log's file is also on disk when this resolves. */
  async migrate<T>(job: Job<T>): Promise<T> {
    const value = await this.write('system', job)
    await syncLogFile(this.file)
    return value
  }

  async check(): Promise<Finding[]> {
    makePrivate(this.file)
    return await requireSound(this.reading, this.file)
  }

  async ping(): Promise<void> {
    // A removed file can still be read and written; all of it is lost when the last process closes it.
    if (!existsSync(this.file)) throw new StoreUnavailable('the database file was removed')
    if (this.health.damage !== null) throw new StoreUnavailable('the database is damaged', this.health.damage)
    try {
      readEveryTable(this.reading, 'main')
    } catch (error) {
      this.health.note(error)
      throw new StoreUnavailable('the database cannot be read', error)
    }
    const { bfree, bsize } = statfsSync(dirname(this.file))
    if (bfree * bsize < db_limits.disk_room_bytes) throw new StoreUnavailable('the disk is full')
    if (this.health.writeFault === null) return
    this.probing ??= probeWrites(this).finally(() => {
      this.probing = null
    })
    await this.probing
  }

  status(): StoreStatus {
    return { writes: this.writes, commits: this.commits, waiting: this.queue.length }
  }

  async close(): Promise<void> {
    this.closed = true
    await this.flushing
    const isSure = (await Promise.all([this.checkpoints.close(), this.log.close()])).every(Boolean)
    // After a fault, the next start copies the log again from its beginning.
    const keeper = isSure ? null : new SqliteConnection(this.file, 'keeps')
    for (const connection of [...this.spare, this.reading, this.writing]) connection.close()
    keeper?.close()
    this.processes.close()
  }
}
