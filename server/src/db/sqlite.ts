/**
 * SQLite through Node's own module: one connection that writes, one that reads, both on the main thread.
 * Group commit: all jobs waiting when a turn of the event loop ends share one transaction and one fsync; a batch in
 * which a job fails after writing is rolled back whole and its jobs run again, each alone. A job awaits nothing but
 * this module, so no other code of this process runs between its statements.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { limits } from '../lib/limits.ts'
import { readAuditHead, readEventHeads, toHeads, writeAuditHead, writeEventHead } from './heads.ts'
import { insertQuery, type Query, type Values } from './query.ts'
import type { Schema, TableName } from './schema.ts'
import { type Heads, type Job, type Reader, type Scope, type Store, StoreUnavailable, type Tx } from './store.ts'

/** Older releases can corrupt a database when a WAL is reset while a reader is active. */
const version_min = [3, 51, 3]

class Connection {
  readonly database: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()

  constructor(file: string, readOnly: boolean) {
    this.database = new DatabaseSync(file)
    this.database.exec(
      `pragma journal_mode=wal; pragma synchronous=full; pragma busy_timeout=${limits.database_wait_ms};
       pragma cache_size=-65536; pragma temp_store=memory; pragma foreign_keys=off;
       ${readOnly ? 'pragma query_only=on;' : 'pragma wal_autocheckpoint=4000;'}`,
    )
  }

  prepare(text: string): StatementSync {
    let statement = this.statements.get(text)
    if (statement === undefined) {
      if (this.statements.size >= limits.prepared_statements_max) this.statements.clear()
      statement = this.database.prepare(text)
      this.statements.set(text, statement)
    }
    return statement
  }

  all<R>(query: Query<R>, values: Values): R[] {
    const { sql, bind } = query.statement('sqlite')
    return this.prepare(sql).all(...bind(values)) as R[]
  }

  first<R>(query: Query<R>, values: Values): R | undefined {
    const { sql, bind } = query.statement('sqlite')
    return this.prepare(sql).get(...bind(values)) as R | undefined
  }

  run(query: Query<unknown>, values: Values): number {
    const { sql, bind } = query.statement('sqlite')
    return Number(this.prepare(sql).run(...bind(values)).changes)
  }
}

const none: Values = {}

class SqliteReader implements Reader {
  readonly dialect = 'sqlite'
  private readonly connection: Connection
  constructor(connection: Connection) {
    this.connection = connection
  }
  all<R>(query: Query<R>, values = none): R[] {
    return this.connection.all(query, values)
  }
  first<R>(query: Query<R>, values = none): R | undefined {
    return this.connection.first(query, values)
  }
}

/** One transaction, shared by the jobs of a batch. */
class SqliteTx implements Tx {
  readonly dialect = 'sqlite'
  dirty = false
  private readonly connection: Connection
  private readonly opened = new Map<string, Heads>()

  constructor(connection: Connection) {
    this.connection = connection
  }
  all<R>(query: Query<R>, values = none): R[] {
    return this.connection.all(query, values)
  }
  first<R>(query: Query<R>, values = none): R | undefined {
    return this.connection.first(query, values)
  }
  write(query: Query<unknown>, values = none): void {
    this.run(query, values)
  }
  run(query: Query<unknown>, values = none): number {
    this.dirty = true
    return this.connection.run(query, values)
  }
  insert<T extends TableName>(table: T, row: Schema[T]): void {
    this.run(insertQuery(table, Object.keys(row)), row as unknown as Values)
  }
  heads(organization: string): Heads {
    let heads = this.opened.get(organization)
    if (heads === undefined) {
      heads = toHeads(
        this.connection.first(readAuditHead, { organization }),
        this.connection.all(readEventHeads, { organization }),
      )
      this.opened.set(organization, heads)
    }
    return heads
  }
  closeHeads(): void {
    for (const [organization, heads] of this.opened) {
      if (!heads.changed) continue
      this.connection.run(writeAuditHead, { organization, ...heads.audit })
      for (const [realm, sequence] of heads.events) this.connection.run(writeEventHead, { realm, sequence })
    }
  }
}

interface Waiting {
  readonly job: Job<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (reason: unknown) => void
}

type Settled = { readonly value: unknown } | { readonly error: unknown }

/** A job failed after it had written: the transaction must not be committed. */
class Spoilt extends Error {}

export class SqliteStore implements Store {
  readonly dialect = 'sqlite'
  private readonly reading: Connection
  private readonly writing: Connection
  private readonly read: SqliteReader
  private queue: Waiting[] = []
  private flushing: Promise<void> | null = null
  private closed = false

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true })
    this.writing = new Connection(file, false)
    requireVersion(this.writing.database)
    this.reading = new Connection(file, true)
    this.read = new SqliteReader(this.reading)
  }

  reader(_scope: Scope): Reader {
    return this.read
  }

  async snapshot<T>(_scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    const nested = this.reading.database.isTransaction
    if (!nested) this.reading.database.exec('begin')
    try {
      return await read(this.read)
    } finally {
      if (!nested) this.reading.database.exec('rollback')
    }
  }

  write<T>(_scope: Scope, job: Job<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.queue.length >= limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes wait'))
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ job, resolve, reject })
      this.flushing ??= this.flush()
    })
  }

  private async flush(): Promise<void> {
    while (this.queue.length > 0) {
      await new Promise(setImmediate)
      const batch = this.queue.splice(0, limits.batch_writes_max)
      const settled = await this.together(batch)
      batch.forEach(({ resolve, reject }, i) => {
        const outcome = settled[i] as Settled
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value as never)
      })
    }
    this.flushing = null
  }

  /** All jobs in one transaction; when one spoils it, each in its own. */
  private async together(batch: readonly Waiting[]): Promise<Settled[]> {
    try {
      return await this.transaction(batch)
    } catch (error) {
      if (batch.length === 1) return [{ error: error instanceof Spoilt ? error.cause : unavailable(error) }]
      if (!(error instanceof Spoilt)) return batch.map(() => ({ error: unavailable(error) }))
    }
    const settled: Settled[] = []
    for (const one of batch) settled.push(...(await this.together([one])))
    return settled
  }

  private async transaction(batch: readonly Waiting[]): Promise<Settled[]> {
    const settled: Settled[] = []
    this.writing.database.exec('begin immediate')
    try {
      const tx = new SqliteTx(this.writing)
      let written = false
      for (const { job } of batch) {
        tx.dirty = false
        try {
          settled.push({ value: await job(tx) })
        } catch (error) {
          if (tx.dirty || !this.writing.database.isTransaction)
            throw new Spoilt('a job failed', { cause: asStoreError(error) })
          settled.push({ error: asStoreError(error) })
        }
        written ||= tx.dirty
      }
      tx.closeHeads()
      this.writing.database.exec(written ? 'commit' : 'rollback')
    } catch (error) {
      if (this.writing.database.isTransaction) this.writing.database.exec('rollback')
      throw error
    }
    return settled
  }

  async execute(statements: readonly string[]): Promise<void> {
    await this.write('system', async (tx) => {
      ;(tx as SqliteTx).dirty = true
      for (const statement of statements) this.writing.database.exec(statement)
    })
  }

  async ping(): Promise<void> {
    try {
      this.reading.database.exec('select 1')
    } catch (error) {
      throw unavailable(error)
    }
  }

  async close(): Promise<void> {
    this.closed = true
    await this.flushing
    this.reading.database.close()
    this.writing.database.close()
  }
}

function requireVersion(database: DatabaseSync): void {
  const found = String(database.prepare('select sqlite_version() as version').get()?.version)
  const parts = found.split('.').map(Number)
  for (let i = 0; i < version_min.length; i++) {
    const difference = (parts[i] ?? 0) - (version_min[i] as number)
    if (difference > 0) return
    if (difference < 0) throw new Error(`SQLite ${found} is too old: ${version_min.join('.')} or newer is needed`)
  }
}

function isEngineError(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR'
}

/** Faults of the disk or of a held lock say nothing about the request: they become StoreUnavailable. */
function asStoreError(error: unknown): unknown {
  const code = isEngineError(error) ? ((error as { errcode?: number }).errcode ?? 0) & 0xff : -1
  return unavailable_codes.has(code) ? unavailable(error) : error
}

/** busy, locked, nomem, readonly, interrupt, ioerr, full, cantopen */
const unavailable_codes = new Set([5, 6, 7, 8, 9, 10, 13, 14])

function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  return new StoreUnavailable(error instanceof Error ? error.message : String(error), error)
}
