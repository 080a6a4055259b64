/**
 * Copies the write-ahead log of a database that other processes write to, without a gap. A read transaction is always held,
 * and each one begins before the former one ends:
 *
 * - If pages wait for a checkpoint when it begins, SQLite does not let the log start over while it is held.
 * - If none waits, the log may start over once; nothing of the new log is checkpointed while it is held.
 *
 * So every committed frame stays in the log until it was copied. Frames are read up to the last commit that SQLite shows to
 * readers: what lies behind it may be rolled back. Reading needs no write; only `startOver` makes writers wait.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { db_limits } from '../limits.ts'
import type { Value } from '../query.ts'
import { StoreUnavailable } from '../store.ts'
import { SqliteConnection } from './connection.ts'
import { Copier } from './copier.ts'
import { isBusy } from './errors.ts'
import {
  checkFrames,
  frameAt,
  frameBytes,
  isNextLog,
  isSameLog,
  type LogHeader,
  type LogPlace,
  readLogHeader,
  startOf,
} from './log/frames.ts'
import { log_format } from './log/sums.ts'

/** The log does not continue where copying stopped: a new base is needed. */
export class LogInterrupted extends Error {}

/** The log cannot be copied at all: its file or the database was replaced or is damaged. */
export class LogUnusable extends Error {}

/** Committed frames that follow each other. */
export interface Copied {
  readonly from: LogPlace
  readonly to: LogPlace
  /** Pages of the database after the commit that the last frame ends; 0 if it ends none. */
  readonly pages: number
  readonly bytes: Buffer
}

/** A read transaction. */
export interface Hold {
  readonly connection: DatabaseSync
}

/** What was committed at one moment. */
export interface Look {
  /** Committed frames in the log. */
  readonly frames: number
  readonly header: LogHeader | null
  readonly hold: Hold
}

/** Never closed: closing any handle of the file releases the locks that SQLite has on it (POSIX). */
const kept = new Map<string, number>()

export class HeldLog {
  /** Up to where the log was copied; null before the first frame. */
  place: LogPlace | null
  private readonly file: string
  private readonly looking: DatabaseSync
  private readonly inode: bigint
  private readonly free: DatabaseSync[] = []
  private readonly holds = new Set<Hold>()
  private held: Hold
  /** Whether all frames of the held transaction were copied: only then may the log start over unnoticed. */
  private isComplete = false
  private checkpoints: { readonly connection: SqliteConnection; readonly copier: Copier } | null = null

  /**
   * Continues at `place`, or begins at the first frame of the present log. Throws LogInterrupted if the log does not continue
   * there.
   */
  constructor(file: string, place: LogPlace | null) {
    this.file = file
    this.place = place
    this.inode = statSync(file, { bigint: true }).ino
    this.looking = open(file)
    this.held = this.hold()
    if (place === null || this.continues(place)) return
    this.close()
    throw new LogInterrupted('the write-ahead log has started over since it was last copied')
  }

  /** Without a read transaction held since then, only the same log with the same frame shows that nothing is missing. */
  private continues(place: LogPlace): boolean {
    const { header, frames, hold } = this.look()
    this.release(hold)
    if (header === null || !isSameLog(header, place.header) || frames < place.frame) return false
    if (place.frame === 0) return true
    const last = this.read(header, place.frame - 1, 1)
    return last.readInt32BE(16) === place.sum.first && last.readInt32BE(20) === place.sum.second
  }

  /** Begins a read transaction, which keeps the file and the log as `look` describes. */
  hold(): Hold {
    const connection = this.free.pop() ?? open(this.file)
    connection.exec('begin')
    connection.prepare('select 1 from sqlite_schema limit 1').get()
    const hold = { connection }
    this.holds.add(hold)
    return hold
  }

  release(hold: Hold): void {
    if (!this.holds.delete(hold)) return
    hold.connection.exec('rollback')
    this.free.push(hold.connection)
  }

  /** Committed frames in the log. */
  frames(): number {
    const row = this.looking.prepare('pragma main.wal_checkpoint(noop)').get()
    return Math.max(0, Number(row?.log ?? 0))
  }

  /** What is committed now, under a new read transaction. Throws LogUnusable if the database was replaced. */
  look(): Look {
    if (statSync(this.file, { bigint: true, throwIfNoEntry: false })?.ino !== this.inode)
      throw new LogUnusable(`the database ${this.file} was replaced`)
    const hold = this.hold()
    for (;;) {
      const header = this.header()
      const frames = this.frames()
      // The log may start over between the two: then the header is another one afterwards.
      const again = this.header()
      const isSame = header === null || again === null ? header === again : isSameLog(header, again)
      if (isSame) return { header, frames, hold }
    }
  }

  /** The next frames up to `look`, at most `follow_segment_frames`; null if all were copied. Throws LogInterrupted. */
  copy({ header, frames }: Look): Copied | null {
    if (header === null || frames === 0) return null
    const from = this.next(header)
    const count = Math.min(frames - from.frame, db_limits.follow_segment_frames)
    if (count <= 0) return null
    const bytes = this.read(header, from.frame, count)
    const checked = checkFrames(bytes, from)
    if (checked === null) throw this.faultBehind(from, header)
    this.place = checked.after
    return { from, to: checked.after, pages: checked.pages, bytes }
  }

  private faultBehind({ frame }: LogPlace, header: LogHeader): Error {
    const now = this.header()
    if (now === null || !isSameLog(now, header)) return new LogInterrupted('the write-ahead log started over')
    return new LogUnusable(`the write-ahead log ${this.file}-wal is damaged behind frame ${frame}`)
  }

  private next(header: LogHeader): LogPlace {
    const { place } = this
    if (place === null) return startOf(header)
    if (isSameLog(place.header, header)) return place
    if (!this.isComplete || !isNextLog(place.header, header))
      throw new LogInterrupted('the write-ahead log has started over before it was copied')
    return startOf(header)
  }

  /** Ends the former read transaction. All frames of `look` must have been copied. */
  advance(look: Look): void {
    this.release(this.held)
    this.held = look.hold
    this.isComplete = true
  }

  /**
   * Lets the next commit start the log over, if no other reader needs it. Returns the frames that were committed meanwhile;
   * null for none. Writers wait for a checkpoint of these frames only; `look` must have been copied before.
   */
  startOver(): Copied | null {
    this.checkpoints ??= this.openCheckpoints()
    if (this.checkpoints.copier.pass() === null) return null
    const lock = new SqliteConnection(this.file, 'locks')
    try {
      lock.exec('begin immediate')
      return this.copyLast(this.checkpoints.copier)
    } catch (error) {
      if (isBusy(error)) return null
      throw error
    } finally {
      lock.close()
    }
  }

  /** Under the write lock. */
  private copyLast(copier: Copier): Copied | null {
    const look = this.look()
    if (this.isFar(look)) {
      this.release(look.hold)
      return null
    }
    const copied = this.copy(look)
    this.advance(look)
    // After a full checkpoint, a new read transaction no longer needs the log.
    if (copier.pass()?.checkpointed === look.frames) this.advance(this.look())
    return copied
  }

  /** Whether more is left than one copy takes, or than writers should wait for. */
  private isFar({ header, frames }: Look): boolean {
    if (header === null) return false
    const copied = this.place !== null && isSameLog(this.place.header, header) ? this.place.frame : 0
    return frames - copied > Math.min(db_limits.follow_reset_left_frames, db_limits.follow_segment_frames)
  }

  private openCheckpoints() {
    const connection = new SqliteConnection(this.file, 'checkpoints')
    return { connection, copier: new Copier(this.file, connection, db_limits.follow_copying_wait_ms) }
  }

  private header(): LogHeader | null {
    const size = statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    return size < log_format.header_bytes ? null : readLogHeader(this.readBytes(0, log_format.header_bytes))
  }

  private read(header: LogHeader, frame: number, count: number): Buffer {
    return this.readBytes(frameAt(header, frame), count * frameBytes(header))
  }

  private readBytes(at: number, length: number): Buffer {
    const log = openSync(`${this.file}-wal`, 'r')
    try {
      const bytes = Buffer.alloc(length)
      const read = readSync(log, bytes, 0, length, at)
      if (read < length) throw new LogUnusable(`the write-ahead log ${this.file}-wal is shorter than SQLite says`)
      return bytes
    } finally {
      closeSync(log)
    }
  }

  /** Bytes of the database file. */
  size(): number {
    return fstatSync(this.database()).size
  }

  /** Bytes of the database file, fewer at its end. With the log's frames they are the database of a held read transaction. */
  readFile(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(this.database(), bytes, 0, length, at))
  }

  private database(): number {
    const opened = kept.get(this.file) ?? openSync(this.file, 'r')
    kept.set(this.file, opened)
    return opened
  }

  /** Runs a query over the newest committed rows. */
  all(text: string, ...values: readonly Value[]): Record<string, unknown>[] {
    return this.looking.prepare(text).all(...values)
  }

  /** The connections that may not write are closed last, so that the log stays as it is. */
  close(): void {
    this.checkpoints?.copier.close()
    this.checkpoints?.connection.close()
    this.checkpoints = null
    for (const hold of [...this.holds]) this.release(hold)
    for (const connection of this.free.splice(0)) connection.close()
    this.looking.close()
  }
}

function open(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: db_limits.database_wait_ms })
  } catch (error) {
    throw new StoreUnavailable(`${file} cannot be opened`, error)
  }
}
