/**
 * The processes that hold leases in a SQLite database. Each locks an empty file beside the database while it runs. The
 * kernel releases the lock when the process ends, however it ends, and other containers on the same volume see it,
 * which they would not see of a process id.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Processes } from '../store.ts'
import { asStoreError, isBusy } from './errors.ts'
import { createPrivateFile } from './file-modes.ts'

/** The end of a file's name until it is locked. */
const unnamed = '.new'
const enter_attempts_max = 5

export class SqliteProcesses implements Processes {
  private readonly prefix: string
  private readonly name = randomBytes(8).toString('hex')
  private lock: DatabaseSync | null = null

  constructor(file: string) {
    this.prefix = `${file}-process-`
  }

  own(): string {
    try {
      this.lock ??= this.enter()
    } catch (error) {
      throw asStoreError(error)
    }
    return this.name
  }

  async ended(names: readonly string[]): Promise<string[]> {
    return names.filter((name) => name !== this.name && this.hasEnded(name))
  }

  async others(): Promise<number> {
    return this.names().filter((name) => !isUnnamed(name) && name !== this.name && !this.hasEnded(name)).length
  }

  private enter(): DatabaseSync {
    for (const name of this.names()) this.hasEnded(name)
    for (let attempt = 1; ; attempt++) {
      try {
        return this.lockOwn()
      } catch (error) {
        if (attempt === enter_attempts_max || !(isBusy(error) || isMissing(error))) throw error
      }
    }
  }

  /**
   * Locks the file before it gets its name, so that another process never finds it unlocked. Before the lock is taken,
   * another process may take the file for that of a killed process and remove it.
   */
  private lockOwn(): DatabaseSync {
    const file = this.prefix + this.name
    createPrivateFile(file + unnamed)
    const lock = takeLock(file + unnamed)
    try {
      chmodSync(file + unnamed, 0o600)
      renameSync(file + unnamed, file)
      return lock
    } catch (error) {
      lock.close()
      throw error
    }
  }

  /** The names of all processes that have a file; a process that was killed while it entered has left an unnamed one. */
  private names(): string[] {
    const start = basename(this.prefix)
    const names = readdirSync(dirname(this.prefix)).filter((file) => file.startsWith(start))
    return names.map((file) => file.slice(start.length)).filter((name) => isUnnamed(name) || !name.includes('.'))
  }

  private hasEnded(name: string): boolean {
    const file = this.prefix + name
    if (!existsSync(file)) return true
    try {
      const lock = takeLock(file)
      unlinkSync(file)
      lock.close()
      return true
    } catch (error) {
      // Another process that asks the same may have removed the file.
      return !isBusy(error) && !existsSync(file)
    }
  }

  close(): void {
    if (this.lock === null) return
    rmSync(this.prefix + this.name, { force: true })
    this.lock.close()
    this.lock = null
  }
}

function isUnnamed(name: string): boolean {
  return name.endsWith(unnamed)
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** The lock of an empty database writes nothing; its journal, which a killed process would leave behind, stays in memory. */
export function takeLock(file: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin immediate')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
