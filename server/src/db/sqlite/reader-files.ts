/**
 * Long snapshots of SQLite, as of backups and exports. A snapshot keeps the write-ahead log from starting over, and a process
 * that is stopped would let it grow without limit. So each has an empty file beside the database while it reads, touched as it
 * makes progress. A process whose commits find the log too large removes the file, and wakes a stopped process on the same
 * machine: the snapshot's next read then fails and ends it.
 */
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { db_limits } from '../limits.ts'
import { StoreUnavailable } from '../store.ts'
import { createPrivateFile } from './file-modes.ts'

let opened = 0

const prefixOf = (file: string) => `${file}-reading-`

/** The file of one snapshot of this process. */
export class ReaderFile {
  private readonly path: string
  private touched = performance.now()

  /** `…/atrium.db-reading-<process>-<start of the process>-<number>`. */
  constructor(file: string) {
    this.path = `${prefixOf(file)}${process.pid}-${startOf(process.pid) ?? 0}-${++opened}`
    createPrivateFile(this.path)
  }

  /** Notes progress. Throws StoreUnavailable if the snapshot was ended. */
  touch(): void {
    const now = performance.now()
    if (now - this.touched < db_limits.reader_touch_ms) return
    this.touched = now
    const at = new Date()
    try {
      utimesSync(this.path, at, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      const message =
        'the server ended this read because it kept the write-ahead log from starting over; run it again without stopping it, or while less is written'
      throw new StoreUnavailable(message)
    }
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}

/** What snapshots may hold before they are ended. */
export interface ReaderLimits {
  readonly silent_ms: number
  readonly silent_bytes: number
  readonly bytes_max: number
}

export const reader_limits: ReaderLimits = {
  silent_ms: db_limits.reader_silent_ms,
  silent_bytes: db_limits.log_silent_reader_bytes,
  bytes_max: db_limits.log_reader_bytes_max,
}

/** Ends the snapshots over a database that hold more of the log than they may. */
export class ReaderEnds {
  private readonly file: string
  private readonly limits: ReaderLimits
  private looked = Number.NEGATIVE_INFINITY

  constructor(file: string, limits: ReaderLimits) {
    this.file = file
    this.limits = limits
  }

  /** Call it after commits with the size of the log; it looks at most once in `reader_touch_ms`. */
  committed(log_bytes: number): void {
    if (log_bytes < this.limits.silent_bytes) return
    const now = performance.now()
    if (now - this.looked < db_limits.reader_touch_ms) return
    this.looked = now
    const prefix = basename(prefixOf(this.file))
    for (const name of readdirSync(dirname(this.file))) {
      if (name.startsWith(prefix)) this.endIfOver(join(dirname(this.file), name), name.slice(prefix.length), log_bytes)
    }
  }

  private endIfOver(path: string, name: string, log_bytes: number): void {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return
    const isSilent = Date.now() - found.mtimeMs > this.limits.silent_ms
    if (!isSilent && log_bytes < this.limits.bytes_max) return
    rmSync(path, { force: true })
    const [pid = 0, start = 0] = name.split('-').map(Number)
    // Numbers of processes are used again: only the process that wrote the file is woken.
    if (pid === process.pid || start === 0 || startOf(pid) !== start) return
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // It has ended, or belongs to another account.
    }
  }
}

/** When a process started, in ticks since the machine did; null if it cannot be seen. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command's name, in parentheses, may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return null
  }
}
