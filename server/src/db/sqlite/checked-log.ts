/**
 * Checks a write-ahead log before SQLite recovers it, because SQLite silently drops all commits after a bad frame and
 * keeps those of their pages that it has already copied. A single flipped bit is corrected; other damage prevents the
 * start.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { db_limits } from '../limits.ts'
import { DamagedDatabase, type Finding, StoreUnavailable } from '../store.ts'
import { asStoreError, isCorrupt, type Part } from './errors.ts'
import { createPrivateFile } from './file-modes.ts'
import { logFileOf } from './log/file.ts'
import { type LogBytes, type LogScan, scanLog } from './scanned-log.ts'

/** `…/atrium.db` → `…/atrium.db-opening`. */
function openingFileOf(file: string): string {
  return `${file}-opening`
}

/**
 * Checks the logs of the database and of the request log, and then runs `open`. Only one process at a time does this,
 * so that none joins before a correction is complete. Returns the result of `open`. Throws DamagedDatabase.
 */
export function openChecked<T>(file: string, findings: Finding[], open: () => T): T {
  const parts = ([file, logFileOf(file)] as const).map((path, i) => [path, i === 0 ? 'main' : 'logs'] as const)
  if (!parts.some(([path]) => sizeOf(`${path}-wal`) > 0)) return open()
  return exclusively(file, () => {
    for (const [path, part] of parts) findings.push(...checkLog(path, part))
    return open()
  })
}

/** What the next start would do about a log. */
export interface LogFault {
  readonly log: string
  /** Where the header or the frames begin that the start corrects; empty if it refuses the log. */
  readonly corrected: readonly number[]
  /** Why the start refuses the log. */
  readonly refusal: string | null
}

/** Checks the logs of the database and of the request log as `openChecked` does, and changes neither. */
export function examineLogs(file: string): LogFault[] {
  const parts = [[file, 'main'] as const, [logFileOf(file), 'logs'] as const]
  return parts.flatMap(([path, part]) => {
    const isGood = ({ repairs, isDamaged }: LogScan) => repairs.length === 0 && !isDamaged
    if (isGood(scanFile(path))) return []
    const scan = locked(path, () => scanFile(path))
    if (isGood(scan)) return []
    const refusal = scan.isDamaged ? damageOfLog(path, part, scan).message : null
    const corrected = scan.isDamaged ? [] : scan.repairs.map(({ at }) => at)
    return [{ log: `${path}-wal`, corrected, refusal }]
  })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function exclusively<T>(file: string, use: () => T): T {
  createPrivateFile(openingFileOf(file))
  const lock = new DatabaseSync(openingFileOf(file), { timeout: db_limits.database_wait_ms })
  try {
    lock.exec('begin immediate')
    return use()
  } finally {
    lock.close()
  }
}

function checkLog(file: string, part: Part): Finding[] {
  const scan = scanFile(file)
  // Other processes may write meanwhile: apparent damage is checked again under the write lock.
  if (scan.repairs.length === 0 && !scan.isDamaged) return incomplete(file, scan)
  return locked(file, () => {
    const certain = scanFile(file)
    if (certain.isDamaged) throw damageOfLog(file, part, certain)
    if (certain.repairs.length === 0) return []
    write(file, certain)
    const bits = certain.repairs.length === 1 ? 'one place' : `${certain.repairs.length} places`
    const message = `the write-ahead log had a flipped bit in ${bits}; its checksums identified it, and it was corrected. Check the disk and the memory of this machine`
    return [{ level: 'error', message, details: { file: `${file}-wal`, at: certain.repairs.map(({ at }) => at) } }]
  })
}

/** A transaction that was being written when the power failed or the process was killed. */
function incomplete(file: string, { bad_frame, commits_behind }: LogScan): Finding[] {
  if (commits_behind === 0) return []
  const message =
    'the write-ahead log ends in an incomplete transaction, which was dropped. After a power failure that is normal, and no client got an answer for it; without one the disk may be damaged'
  return [{ level: 'warn', message, details: { file: `${file}-wal`, frame: bad_frame } }]
}

function scanFile(file: string): LogScan {
  if (sizeOf(`${file}-wal`) === 0) return scanLog({ size: 0, read: () => Buffer.alloc(0) })
  const log = openSync(`${file}-wal`, 'r')
  try {
    return scanLog(bytesOf(log))
  } finally {
    closeSync(log)
  }
}

function bytesOf(log: number): LogBytes {
  return {
    size: fstatSync(log).size,
    read(at, length) {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(log, bytes, 0, length, at))
    },
  }
}

/**
 * Runs `use` while no process writes to the log, with the number of frames that SQLite reads of it. The log stays as it
 * is: a read-only connection is closed last, and copies nothing.
 */
function locked<T>(file: string, use: (frames: number) => T): T {
  const keeper = new DatabaseSync(file, { readOnly: true, timeout: db_limits.database_wait_ms })
  const lock = new DatabaseSync(file, { timeout: db_limits.database_wait_ms })
  try {
    return use(framesUnderLock(keeper, lock))
  } finally {
    lock.close()
    keeper.close()
  }
}

function framesUnderLock(keeper: DatabaseSync, lock: DatabaseSync): number {
  try {
    keeper.prepare('pragma user_version').get()
    lock.exec('begin immediate')
    return Number(keeper.prepare('pragma wal_checkpoint(noop)').get()?.log)
  } catch (error) {
    // With the log cut at the damage, the database is inconsistent. A process that used the log before the damage would
    // see all of it.
    if (isCorrupt(error)) return 0
    throw asStoreError(error)
  }
}

function write(file: string, { repairs }: LogScan): void {
  const log = openSync(`${file}-wal`, 'r+')
  try {
    for (const { at, bytes } of repairs) {
      if (writeSync(log, bytes, 0, bytes.length, at) < bytes.length) throw new StoreUnavailable('the disk is full')
    }
    fsyncSync(log)
  } finally {
    closeSync(log)
  }
}

function damageOfLog(file: string, part: Part, { bad_frame, commits_behind }: LogScan): DamagedDatabase {
  const found = `frame ${bad_frame} is not what was written, and ${commits_behind === 1 ? '1 commit' : `${commits_behind} commits`} from there on would be lost`
  return new DamagedDatabase(
    part === 'main'
      ? `The write-ahead log ${file}-wal is damaged: ${found}. Stop all processes that use it, keep a copy of its folder, and load the newest backup into an empty database with 'atrium restore', or give these commits up with 'atrium log cut'.`
      : `The write-ahead log ${file}-wal of the request log is damaged: ${found}. Give these entries up with 'atrium log cut'.`,
  )
}

/** A log that was cut. */
export interface Cut {
  readonly log: string
  /** The file with the log before the cut. */
  readonly copy: string
  readonly bad_frame: number
  readonly commits: number
}

/**
 * Cuts the damaged logs of a database and its request log before their first bad frame, and keeps a copy of each.
 * Undamaged logs stay. Throws StoreUnavailable while another process uses the database.
 */
export function cutLogs(file: string, now: number): Cut[] {
  return exclusively(file, () => [file, logFileOf(file)].flatMap((each) => cutLog(each, now)))
}

function cutLog(file: string, now: number): Cut[] {
  if (!scanFile(file).isDamaged) return []
  return locked(file, (frames) => {
    const scan = scanFile(file)
    if (!scan.isDamaged || scan.bad_frame === null) return []
    // SQLite reads the log up to the bad frame, unless a process had read it before the damage.
    if (frames > scan.good_frames) throw new StoreUnavailable(`another process uses ${file}: stop it first`)
    const log = `${file}-wal`
    const copy = `${log}-damaged-${now}`
    copyFileSync(log, copy, constants.COPYFILE_EXCL)
    chmodSync(copy, 0o600)
    sync(copy)
    write(file, scan)
    const opened = openSync(log, 'r+')
    try {
      ftruncateSync(opened, scan.good_bytes)
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
    return [{ log, copy, bad_frame: scan.bad_frame, commits: scan.commits_behind }]
  })
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}
