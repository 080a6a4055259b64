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

  /** Locks the file before it gets its name, so that another process never finds it unlocked. */
  private enter(): DatabaseSync {
    this.removeOld()
    const file = this.prefix + this.name
    createPrivateFile(`${file}.new`)
    const lock = takeLock(`${file}.new`)
    chmodSync(`${file}.new`, 0o600)
    renameSync(`${file}.new`, file)
    return lock
  }

  /** Removes the files of processes that were killed. */
  private removeOld(): void {
    const start = basename(this.prefix)
    for (const file of readdirSync(dirname(this.prefix))) {
      if (file.startsWith(start) && !file.includes('.', start.length)) this.hasEnded(file.slice(start.length))
    }
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

/** The lock of an empty database writes nothing. */
function takeLock(file: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('begin immediate')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
