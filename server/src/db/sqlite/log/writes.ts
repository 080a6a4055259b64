/** The request log's file in its thread: transactions, checkpoints, and a new connection after a disk fault. */
import { db_limits } from '../../limits.ts'
import type { Value } from '../../query.ts'
import { StoreUnavailable } from '../../store.ts'
import { SqliteConnection } from '../connection.ts'
import { Copier } from '../copier.ts'
import { asStoreError, isBroken, whenFree } from '../errors.ts'
import { syncLog } from '../synced-log.ts'
import { logFileOf } from './file.ts'

export interface LogStatement {
  readonly text: string
  readonly values: readonly Value[]
}

/** A message to the thread. */
export type LogRequest = { readonly number: number; readonly statements: readonly LogStatement[] } | 'close'

/** The thread's answer. */
export interface LogReply {
  readonly number: number
  readonly outcome: { readonly changed: number } | { readonly message: string; readonly passes: boolean }
  /** Whether the file has everything that SQLite counts as copied. */
  readonly isSure: boolean
}

export class LogWrites {
  private readonly file: string
  private opened: { readonly connection: SqliteConnection; readonly copier: Copier } | null = null
  private isSure = true
  /** Pages in the write-ahead log after the newest commit, and after the newest checkpoint. */
  private frames = 0
  private copied = 0

  /** `file`: the database's file. */
  constructor(file: string) {
    this.file = logFileOf(file)
  }

  private open() {
    const connection = new SqliteConnection(this.file, 'logs')
    return { connection, copier: new Copier(this.file, connection) }
  }

  /** Runs all statements in one transaction, on disk when it resolves. Never rejects. One call at a time. */
  async write(statements: readonly LogStatement[]): Promise<Omit<LogReply, 'number'>> {
    try {
      return { outcome: { changed: await this.transaction(statements) }, isSure: this.isSure }
    } catch (error) {
      if (isBroken(error)) this.opened?.connection.drop()
      const reason = asStoreError(error)
      const message = reason instanceof Error ? reason.message : String(reason)
      return { outcome: { message, passes: reason instanceof StoreUnavailable }, isSure: this.isSure }
    }
  }

  private async transaction(statements: readonly LogStatement[]): Promise<number> {
    this.opened ??= this.open()
    const { connection, copier } = this.opened
    let changed = 0
    await whenFree(() => connection.exec('begin immediate'))
    try {
      if (!connection.isSynced) await syncLog(this.file)
      connection.isSynced = true
      for (const { text, values } of statements) changed = connection.runBound(text, values)
      connection.exec('commit')
    } catch (error) {
      connection.rollBack()
      throw error
    }
    this.checkpoint(copier, connection.logFrames())
    return changed
  }

  private checkpoint(copier: Copier, frames: number): void {
    // The log started over.
    if (frames < this.frames) this.copied = 0
    this.frames = frames
    if (frames - this.copied < db_limits.request_log_wal_pages) return
    this.isSure = copier.pass() !== null
    this.copied = frames
  }

  close(): void {
    this.opened?.copier.close()
    this.opened?.connection.close()
  }
}
