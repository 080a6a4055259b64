/**
 * Passes of a checkpoint over one file, by the thread that has the connection for them. Several processes may have such
 * threads; one at a time copies. SQLite sees to that for its own copying, but not for what is copied once more
 * (`recopied-log.ts`): that could put an older page over the newer one that another thread has just put there. So each takes
 * the lock of an empty file beside the database for as long.
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
  /** Whether the file has what was copied into it, or a sync will tell; of what others have copied nothing is known. */
  private isSure = false

  /** Others are waited for so long, which blocks this thread. */
  constructor(file: string, connection: SqliteConnection, wait_ms: number = db_limits.database_wait_ms) {
    this.file = file
    this.connection = connection
    this.wait_ms = wait_ms
  }

  /** Copies what it can. `null`: the disk failed, the file is gone, or another thread copies for long; writers will say so. */
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

  /** An empty file is a database in which nothing needs to be written for a lock. */
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
