/**
 * Follows a SQLite database: copies what is committed to a destination, in segments of the write-ahead log, and a base of the
 * database file each day. Between two looks at the log:
 *
 * 1. Copy and store all committed frames, then end the former read transaction.
 * 2. If the log has grown, let it start over.
 * 3. Begin a base when one is due, and copy new content of files; both continue in the background.
 *
 * A follower that was killed continues the chain if the log still has its last frame, else it begins a new chain with a new
 * base. While the destination fails, the log is held up to `follow_log_bytes_max`.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { db_limits } from '../../limits.ts'
import { asStoreError } from '../../sqlite/errors.ts'
import { HeldLog, type Hold, LogInterrupted } from '../../sqlite/held-log.ts'
import { log_format } from '../../sqlite/log/sums.ts'
import { ReaderFile } from '../../sqlite/reader-files.ts'
import { StoreUnavailable } from '../../store.ts'
import { BaseGivenUp, copyBase, newestBase } from './base-copy.ts'
import { Chain, readHead } from './chain.ts'
import type { ContentCopies } from './contents.ts'
import { type Destination, DestinationUnavailable } from './destination.ts'
import { chainsOf } from './layout.ts'
import { BadDestination } from './marker.ts'
import type { BackupKey } from './object.ts'
import { removeOld } from './retention.ts'
import { type FollowStatus, readFollowStatus, writeFollowStatus } from './status.ts'

export interface Following {
  /** The database file. */
  readonly file: string
  /** The data directory, for the status. */
  readonly folder: string
  readonly destination: Destination
  readonly key: BackupKey | null
  /** Every moment of this time can be restored. */
  readonly keep_ms: number
  readonly clock: Clock
  readonly log: Log
  /** Null if the content of files is not copied. */
  readonly contents: ContentCopies | null
}

/** The database and the chain that it continues. */
interface Connection {
  readonly held: HeldLog
  readonly chain: Chain
  readonly reader: ReaderFile
  readonly secret_key: string
}

export class Follower {
  private readonly following: Following
  private connection: Connection | null = null
  private status: FollowStatus
  private base: Promise<void> | null = null
  private copying: Promise<void> | null = null
  /** When these begin next, in milliseconds. */
  private baseDue = 0
  private contentsDue = 0
  private headDue = 0
  /** Frames in the log when it was last tried to let it start over. */
  private tried = 0
  private isStopped = false

  constructor(following: Following) {
    this.following = following
    const { destination, contents } = following
    this.status = {
      destination: destination.place,
      chain: null,
      covered: null,
      base: null,
      log_bytes: 0,
      files: contents === null ? null : 0,
      files_covered: null,
      error: null,
    }
  }

  /**
   * Follows until `stop` is aborted. Rejects with BadDestination if the destination belongs to another installation, and with
   * LogUnusable if the log cannot be copied at all. Waits for a destination that fails.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { destination, log } = this.following
    const interval = destination.isLocal ? db_limits.follow_interval_ms : db_limits.follow_bucket_interval_ms
    const guard = setInterval(() => this.limitLog(), db_limits.follow_interval_ms)
    try {
      while (!stop.aborted) {
        const isDone = await this.turn()
        await sleep(isDone ? interval : db_limits.follow_retry_ms, null, { signal: stop }).catch(() => {})
      }
      // What was committed until the signal.
      if (await this.turn()) await this.connection?.chain.putHead(this.connection.secret_key)
    } catch (error) {
      if (!(error instanceof DestinationUnavailable)) throw error
      log.warn('the destination does not take the last commits', { reason: error.message })
    } finally {
      clearInterval(guard)
      this.isStopped = true
      this.disconnect()
      await Promise.allSettled([this.base, this.copying])
    }
  }

  /** One look at the log; false if the destination or the database failed for now. */
  private async turn(): Promise<boolean> {
    try {
      this.connection ??= await this.connect()
      const { connection } = this
      touch(connection, this.following.file)
      const at = await this.copyLog(connection)
      await this.startOver(connection)
      await this.beginBase(connection)
      this.beginContents(connection)
      await this.putHead(connection)
      const { chain, held } = connection
      this.report({ chain: chain.name, covered: at, log_bytes: held.frames() * log_format.page_bytes, error: null })
      return true
    } catch (error) {
      this.failed(error)
      return false
    }
  }

  /** Passes on what does not pass by itself. */
  private failed(thrown: unknown): void {
    const { log } = this.following
    const error = asStoreError(thrown)
    // The next turn opens the log again, and continues if it is the same.
    if (error instanceof LogInterrupted || error instanceof StoreUnavailable) this.disconnect()
    else if (!(error instanceof DestinationUnavailable)) throw error
    const reason = (error as Error).message
    if (this.status.error !== reason) log.warn('the backup is behind', { reason })
    this.report({ error: reason })
  }

  private async connect(): Promise<Connection> {
    const { file, destination, key, log } = this.following
    const secret_key = await this.requireOwn()
    const newest = await Chain.newest(destination, key)
    const continued = newest === null ? null : continuedLog(file, newest.place)
    const held = continued ?? new HeldLog(file, null)
    const chain = newest !== null && continued !== null ? newest.chain : await this.newChain()
    const base = await newestBase(destination, chain.name, key)
    this.baseDue = base === null ? 0 : base + db_limits.follow_base_ms
    this.tried = 0
    this.report({ chain: chain.name, base })
    // Before the first segment: it says whose chain this is.
    await chain.putHead(secret_key)
    log.info(continued === null ? 'following in a new chain' : 'following', {
      destination: destination.place,
      chain: chain.name,
    })
    return { held, chain, reader: new ReaderFile(file), secret_key }
  }

  private newChain(): Promise<Chain> {
    const { destination, key, clock } = this.following
    return Chain.begin(destination, key, clock.now(), randomBytes(4).toString('hex'))
  }

  /** The newest chain must be of this installation. Returns the fingerprint of its secret key, which a rotation changes. */
  private async requireOwn(): Promise<string> {
    const { file, folder, destination, key } = this.following
    const looking = new HeldLog(file, null)
    let secret_key: string
    try {
      secret_key = String(looking.all('select fingerprint from secret_key limit 1')[0]?.fingerprint ?? '')
    } finally {
      looking.close()
    }
    const chain = (await chainsOf(destination))[0]
    const head = chain === undefined ? null : await readHead(destination, chain, key)
    if (head === null || head.secret_key === secret_key || readFollowStatus(folder)?.chain === head.chain)
      return secret_key
    throw new BadDestination(
      `${destination.place} holds the backup of another installation: the fingerprint of its secret key is ${head.secret_key}, not ${secret_key}`,
    )
  }

  private disconnect(): void {
    const { connection } = this
    this.connection = null
    connection?.reader.remove()
    connection?.held.close()
  }

  /** A destination that fails for long must not let the log grow without limit. */
  private limitLog(): void {
    const { connection } = this
    const { clock, log } = this.following
    if (connection === null || clock.now() - connection.chain.covered < db_limits.follow_behind_ms) return
    const bytes = connection.held.frames() * log_format.page_bytes
    if (bytes < db_limits.follow_log_bytes_max) return
    log.error('the write-ahead log is no longer held', { bytes, reason: this.status.error })
    this.disconnect()
  }

  /** Returns the moment up to which everything is stored. */
  private async copyLog({ held, chain }: Connection): Promise<number> {
    const { clock } = this.following
    await chain.settle()
    this.requireHeld(held)
    const before = clock.now()
    const look = held.look()
    const at = clock.now()
    try {
      for (let copied = held.copy(look); copied !== null; copied = held.copy(look)) {
        await chain.append(copied, at, copied.to.frame === look.frames ? before : chain.covered)
        this.requireHeld(held)
      }
    } catch (error) {
      if (this.connection?.held === held) held.release(look.hold)
      throw error
    }
    held.advance(look)
    return chain.cover(before)
  }

  /** After each wait: the log may have been released meanwhile. */
  private requireHeld(held: HeldLog): void {
    if (this.connection?.held !== held) throw new DestinationUnavailable('the write-ahead log is no longer held')
  }

  private async startOver({ held, chain }: Connection): Promise<void> {
    const frames = held.frames()
    if (frames < this.tried) this.tried = 0
    if (frames - this.tried < db_limits.follow_reset_frames) return
    this.tried = frames
    const copied = held.startOver()
    if (copied !== null) await chain.append(copied, this.following.clock.now())
  }

  private async beginBase(connection: Connection): Promise<void> {
    const { held, chain } = connection
    if (this.base !== null || this.following.clock.now() < this.baseDue) return
    const { start } = chain
    const hold = held.hold()
    try {
      // Everything that the held transaction sees is in segments then.
      await this.copyLog(connection)
    } catch (error) {
      if (this.connection?.held === held) held.release(hold)
      throw error
    }
    const at = chain.moment(this.following.clock.now())
    const { name, covered, last } = chain
    const base = { chain: name, at, covered, first: start, last, bytes: held.size() }
    this.base = this.copyBase(held, hold, base).finally(() => {
      this.base = null
    })
  }

  /** Never rejects. */
  private async copyBase(held: HeldLog, hold: Hold, start: Parameters<typeof copyBase>[1]): Promise<void> {
    const { destination, key, clock, log, keep_ms } = this.following
    const isHeld = () => !this.isStopped && this.connection?.held === held
    try {
      await copyBase(held, start, { destination, key, isHeld })
      this.baseDue = start.at + db_limits.follow_base_ms
      log.info('stored a base', { chain: start.chain, bytes: start.bytes, at: new Date(start.at).toISOString() })
      this.report({ base: start.at })
      const removed = await removeOld(destination, key, clock.now() - keep_ms)
      if (removed > 0) log.info('removed what is older than the kept days', { objects: removed })
    } catch (error) {
      this.baseDue = Math.max(this.baseDue, clock.now() + db_limits.follow_base_pause_ms)
      const isExpected = error instanceof BaseGivenUp || error instanceof DestinationUnavailable
      if (!this.isStopped)
        log[isExpected ? 'warn' : 'error']('no base was stored', { reason: (error as Error).message })
    } finally {
      if (this.connection?.held === held) held.release(hold)
    }
  }

  private beginContents({ held }: Connection): void {
    const { contents, clock } = this.following
    if (contents === null || this.copying !== null || clock.now() < this.contentsDue) return
    const from = clock.now()
    const isStopped = () => this.isStopped || this.connection?.held !== held
    this.copying = contents
      .copy(held, isStopped)
      .then((files) => {
        if (isStopped()) return
        if (files !== this.status.files) this.following.log.info('copied the content of files', { files })
        this.report({ files, files_covered: from })
      })
      .catch((error: Error) => this.following.log.warn('files are not copied', { reason: error.message }))
      .finally(() => {
        this.copying = null
        const now = clock.now()
        // Looking takes at most a twentieth of the time.
        this.contentsDue = now + Math.max(db_limits.follow_files_ms, 20 * (now - from))
      })
  }

  private async putHead({ chain, secret_key }: Connection): Promise<void> {
    const now = this.following.clock.now()
    if (now < this.headDue) return
    await chain.putHead(secret_key)
    this.headDue = now + db_limits.follow_head_ms
  }

  private report(change: Partial<FollowStatus>): void {
    this.status = { ...this.status, ...change }
    writeFollowStatus(this.following.folder, this.status)
  }
}

/** The log from where a chain ends; null if it does not continue there. */
function continuedLog(file: string, place: ConstructorParameters<typeof HeldLog>[1]): HeldLog | null {
  try {
    return new HeldLog(file, place)
  } catch (error) {
    if (error instanceof LogInterrupted) return null
    throw error
  }
}

/** Shows servers that the reader moves on. One that a server gave up continues: it is what lets the log start over. */
function touch(connection: Connection, file: string): void {
  try {
    connection.reader.touch()
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    Object.assign(connection, { reader: new ReaderFile(file) })
  }
}
