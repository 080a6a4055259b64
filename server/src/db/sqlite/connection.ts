/**
 * One connection to the SQLite file, with its prepared statements. It never blocks the process for long. After a disk
 * fault it is opened again, so that the service recovers without a restart.
 */
import { DatabaseSync } from 'node:sqlite'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Value, Values } from '../query.ts'
import { StoreUnavailable } from '../store.ts'
import { namingDamage } from './errors.ts'
import { attachLogFile, logFileOf, makeLogTable } from './log/file.ts'
import { recopyLog } from './recopied-log.ts'
import { RowStatement } from './rows.ts'

/** Older releases can corrupt a database when a WAL is reset while a reader is active. */
const version_min = [3, 51, 3]

const settings = `
  pragma main.synchronous=full; pragma fullfsync=on; pragma checkpoint_fullfsync=on;
  pragma temp_store=memory; pragma foreign_keys=off;`

/** The first commit of a log that starts over cuts the file to this size. */
const cut_log = ` pragma main.journal_size_limit=${db_limits.log_kept_bytes};`

/** Kinds that use rows have the request log's file attached. */
const with_logs = new Set(['reads', 'writes', 'keeps'])

/**
 * The writer waits for another process's lock without blocking; a reader hardly ever meets one. Nearly all reads use
 * the writer, so it has the larger cache. The operating system caches the rest: a cache four times as large made reads
 * no faster and the process larger. No commit checkpoints by itself: that needs the lock of `copier.ts`.
 */
const of_kind = {
  reads: 'pragma query_only=on; pragma main.cache_size=-4096;',
  writes: `pragma wal_autocheckpoint=0; pragma busy_timeout=0; pragma main.cache_size=-16384;${cut_log}`,
  checkpoints: 'pragma query_only=on; pragma main.cache_size=-256;',
  /**
   * The request log's own connection opens it as its main database; its thread (`log/log-thread.ts`) decides when to
   * checkpoint.
   */
  logs: `pragma wal_autocheckpoint=0; pragma busy_timeout=0; pragma main.cache_size=-2048;${cut_log}`,
  locks: 'pragma main.cache_size=-256;',
  /** If it is closed last, it leaves the log as it is: a connection that may not write does not checkpoint. */
  keeps: '',
}

/** A checkpoint's result: pages in the log, and how many of them are also in the database file. */
export interface Checkpoint {
  readonly log: number
  readonly checkpointed: number
}

type Prepared = ReturnType<DatabaseSync['prepare']>

/** Runs the pragma of a checkpoint, which always returns one row. */
function readCheckpoint(pragma: Prepared): Checkpoint {
  const row = pragma.get()
  return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) }
}

export class SqliteConnection {
  private readonly file: string
  private readonly kind: keyof typeof of_kind
  private readonly statements = new Map<string, RowStatement>()
  private opened: DatabaseSync | null = null
  private frames: Prepared | null = null
  private closed = false
  /** Of the writer: whether the log that it opened has been written to disk (`synced-log.ts`). */
  isSynced = false

  constructor(file: string, kind: keyof typeof of_kind) {
    this.file = file
    this.kind = kind
    this.opened = this.open()
  }

  private get database(): DatabaseSync {
    this.opened ??= this.open()
    return this.opened
  }

  private open(): DatabaseSync {
    if (this.closed) throw new StoreUnavailable('the database is closed')
    const readOnly = this.kind === 'keeps'
    const database = new DatabaseSync(this.file, { timeout: db_limits.database_wait_ms, readOnly })
    try {
      requireVersion(database)
      const mode = database.prepare('pragma journal_mode=wal').get()?.journal_mode
      if (mode !== 'wal') throw new Error(`SQLite cannot keep a write-ahead log beside ${this.file}`)
      if (with_logs.has(this.kind)) namingDamage(logFileOf(this.file), 'logs', () => attachLogFile(database, this.file))
      if (this.kind === 'logs') makeLogTable(database, 'main')
      database.exec(settings + of_kind[this.kind])
    } catch (error) {
      database.close()
      throw error
    }
    return database
  }

  private prepare(text: string): RowStatement {
    const { database } = this
    let statement = this.statements.get(text)
    if (statement === undefined) {
      if (this.statements.size >= db_limits.prepared_statements_max) this.statements.clear()
      statement = new RowStatement(database.prepare(text))
      this.statements.set(text, statement)
    }
    return statement
  }

  all<R>(query: AnyQuery<R>, values: Values): R[] {
    const { sql, bind } = query.statement('sqlite')
    return this.prepare(sql).all(bind(values)) as R[]
  }

  first<R>(query: AnyQuery<R>, values: Values): R | undefined {
    const { sql, bind } = query.statement('sqlite')
    return this.prepare(sql).first(bind(values)) as R | undefined
  }

  run(query: AnyQuery, values: Values): number {
    const { sql, bind } = query.statement('sqlite')
    return this.runBound(sql, bind(values))
  }

  runBound(text: string, values: readonly Value[]): number {
    return this.prepare(text).run(values)
  }

  exec(text: string): void {
    this.database.exec(text)
  }

  /**
   * Begins a transaction with the lock of the database only; `begin immediate` would also lock the request log's file.
   */
  begin(): void {
    // Changes nothing in a database without auto-vacuum, but counts as a write.
    this.database.exec('begin; pragma main.incremental_vacuum(1)')
  }

  /** Rolls back an open transaction. If that fails, closes the file, which has the same effect. */
  rollBack(): void {
    if (!this.inTransaction) return
    try {
      this.exec('rollback')
    } catch {
      this.drop()
    }
  }

  /**
   * Copies pages of the log into the database file, except those that a reader still needs. Blocks no other process.
   */
  checkpoint(): Checkpoint {
    return readCheckpoint(this.database.prepare('pragma main.wal_checkpoint(passive)'))
  }

  /** Under the write lock, copies a partly copied log once more. */
  recopy(): void {
    if (this.copiedInPart() === 0) return
    const lock = new SqliteConnection(this.file, 'locks')
    try {
      lock.exec('begin immediate')
      recopyLog(this.file, this.copiedInPart())
    } finally {
      lock.close()
    }
  }

  /** How many pages of the log SQLite has copied; 0 if it has copied all, which a sync has confirmed. */
  private copiedInPart(): number {
    const noop = this.database.prepare('pragma main.wal_checkpoint(noop)')
    const { log, checkpointed } = readCheckpoint(noop)
    return checkpointed < log ? checkpointed : 0
  }

  /** The number of pages in the log. */
  logFrames(): number {
    this.frames ??= this.database.prepare('pragma main.wal_checkpoint(noop)')
    return readCheckpoint(this.frames).log
  }

  get inTransaction(): boolean {
    return this.opened?.isTransaction === true
  }

  /** Closes the file: an open transaction is rolled back, and the next use opens the file again. */
  drop(): void {
    const { opened } = this
    this.opened = null
    this.isSynced = false
    this.frames = null
    this.statements.clear()
    try {
      opened?.close()
    } catch {
      // A handle that cannot even be closed is abandoned.
    }
  }

  close(): void {
    this.closed = true
    this.drop()
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
