/**
 * Passes of a checkpoint over one file, by the thread that has a connection for them. Several processes may have such
 * threads; only one copies at a time. SQLite ensures this for its own copying, but not for a repeated copy
 * (`recopied-log.ts`), which could overwrite a newer page that another thread has just written. Each pass therefore
 * holds the lock of an empty file beside the database.
 */
import { DatabaseSync } from 'node:sqlite'
import { db_limits } from '../limits.ts'
import type { Pass } from './checkpoints.ts'
import type { SqliteConnection } from './connection.ts'
import { createPrivateFile } from './file-modes.ts'

/** `…/atrium.db` → `…/atrium.db-copying`. */
export function copyingFileOf(file: string): string {
  return `${file}-copying`
}

export class Copier {
  private readonly file: string
  private readonly connection: SqliteConnection
  private readonly wait_ms: number
  private lock: DatabaseSync | null = null
  /**
   * Whether the file has everything that was copied into it, or a sync will confirm it. False at the start: nothing is
   * known about copies of other processes.
   */
  private isSure = false

  /** Waits up to `wait_ms` for another process, which blocks this thread. */
  constructor(file: string, connection: SqliteConnection, wait_ms: number = db_limits.database_wait_ms) {
    this.file = file
    this.connection = connection
    this.wait_ms = wait_ms
  }

  /**
   * Copies what it can. `null`: the disk failed, the file is missing, or another thread copies for long; writers will
   * report it.
   */
  pass(): Pass {
    try {
      this.take()
    } catch {
      this.release()
      return null
    }
    try {
      return this.copied()
    } finally {
      this.release()
    }
  }

  /** An empty file is a database that can be locked without writing anything. */
  private take(): void {
    createPrivateFile(copyingFileOf(this.file))
    this.lock ??= new DatabaseSync(copyingFileOf(this.file), { timeout: this.wait_ms })
    this.lock.exec('begin immediate')
  }

  private release(): void {
    try {
      this.lock?.exec('rollback')
    } catch {
      // The lock was not taken, or its file was removed: the next pass opens it again.
      this.close()
    }
  }

  private copied(): Pass {
    try {
      if (!this.isSure) this.connection.recopy()
      this.isSure = true
      return this.connection.checkpoint()
    } catch {
      // The next pass opens the file again.
      this.connection.drop()
      this.isSure = this.isSure && this.recopied()
      return null
    }
  }

  private recopied(): boolean {
    try {
      this.connection.recopy()
      return true
    } catch {
      return false
    }
  }

  close(): void {
    const { lock } = this
    this.lock = null
    lock?.close()
  }
}
