/**
 * What followers of both engines have in common: turns until a signal, the status, bases in the background with the removal of
 * what is too old, and the content of files.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { db_limits } from '../../limits.ts'
import { BaseGivenUp, newestBase } from './base-copy.ts'
import { Chain } from './chain.ts'
import type { ContentCopies, ContentRow } from './contents.ts'
import { type Destination, DestinationUnavailable } from './destination.ts'
import { type Base, firstMoment } from './layout.ts'
import type { BackupKey } from './object.ts'
import { removeOld } from './retention.ts'
import { type FollowStatus, startStatus, writeFollowStatus } from './status.ts'

export interface Following {
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

/** A connection to the database, and the chain that it continues. */
export interface Followed {
  readonly chain: Chain
  readonly secret_key: string
}

export abstract class FollowLoop<C extends Followed, F extends Following> {
  protected readonly following: F
  protected connection: C | null = null
  protected base: Promise<void> | null = null
  /** When these begin next, in milliseconds. */
  protected baseDue = 0
  protected isStopped = false
  private status: FollowStatus
  private copying: Promise<void> | null = null
  private contentsDue = 0
  private headDue = 0

  constructor(following: F) {
    this.following = following
    const { destination, contents } = following
    this.status = startStatus(destination.place, contents !== null)
  }

  /** Connects, and continues the newest chain or begins one. */
  protected abstract connect(): Promise<C>
  protected abstract release(connection: C): void
  /** One look at the log: stores what was committed, and begins a base when one is due. Returns up to when everything is stored. */
  protected abstract copy(connection: C): Promise<number>
  /** Bytes of the log that wait for the follower. */
  protected abstract logBytes(connection: C): number
  protected abstract contentRows(connection: C): AsyncIterable<ContentRow>
  /** What an error means: `reconnect` if the next turn may connect again; null if the error does not pass by itself. */
  protected abstract judge(error: unknown): { readonly error: Error; readonly reconnect: boolean } | null
  /** Called at an interval, also while a turn waits. */
  protected guard(): void {}

  /**
   * Follows until `stop` is aborted. Rejects with BadDestination if the destination belongs to another installation, and with
   * what does not pass by itself. Waits for a destination that fails.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { destination, log } = this.following
    const interval = destination.isLocal ? db_limits.follow_interval_ms : db_limits.follow_bucket_interval_ms
    const guard = setInterval(() => this.guard(), db_limits.follow_interval_ms)
    try {
      while (!stop.aborted) {
        const isDone = await this.turn()
        await sleep(isDone ? interval : db_limits.follow_retry_ms, null, { signal: stop }).catch(() => {})
      }
      // What was committed until the signal; the second turn is for a connection that was lost before.
      if ((await this.turn()) || (await this.turn())) await this.connection?.chain.putHead(this.connection.secret_key)
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
      const at = await this.copy(connection)
      this.beginContents(connection)
      await this.putHead(connection)
      this.report({ chain: connection.chain.name, covered: at, log_bytes: this.logBytes(connection), error: null })
      return true
    } catch (error) {
      this.failed(error)
      return false
    }
  }

  /** Passes on what does not pass by itself. */
  private failed(thrown: unknown): void {
    const judged = this.judge(thrown)
    if (judged?.reconnect) this.disconnect()
    else if (!(thrown instanceof DestinationUnavailable)) throw judged?.error ?? thrown
    const reason = (judged?.error ?? (thrown as Error)).message
    if (this.status.error !== reason) this.following.log.warn('the backup is behind', { reason })
    this.report({ error: reason })
  }

  /** Says that the chain is followed. */
  protected async begun(connection: C, isNew: boolean): Promise<C> {
    const { destination, key, log } = this.following
    const { chain, secret_key } = connection
    try {
      const base = await newestBase(destination, chain.name, key)
      this.baseDue = base === null ? 0 : base.at + db_limits.follow_base_ms
      this.report({ chain: chain.name, base: base === null ? null : firstMoment(base) })
      // Before the first segment: it says whose chain this is.
      await chain.putHead(secret_key)
    } catch (error) {
      this.release(connection)
      throw error
    }
    log.info(isNew ? 'following in a new chain' : 'following', { destination: destination.place, chain: chain.name })
    return connection
  }

  protected newChain(now: number): Promise<Chain> {
    const { destination, key } = this.following
    return Chain.begin(destination, key, now, randomBytes(4).toString('hex'))
  }

  protected disconnect(): void {
    const { connection } = this
    this.connection = null
    if (connection !== null) this.release(connection)
  }

  protected isHeld(connection: C): boolean {
    return !this.isStopped && this.connection === connection
  }

  /** Copies a base in the background, and then removes what is too old. */
  protected beginBase(copy: () => Promise<Base>, end: () => void = () => {}): void {
    this.base = this.runBase(copy, end).finally(() => {
      this.base = null
    })
  }

  /** Never rejects. */
  private async runBase(copy: () => Promise<Base>, end: () => void): Promise<void> {
    const { destination, key, clock, log, keep_ms } = this.following
    try {
      const base = await copy()
      this.baseDue = base.at + db_limits.follow_base_ms
      const at = firstMoment(base)
      log.info('stored a base', { chain: base.chain, bytes: base.bytes, at: new Date(at).toISOString() })
      this.report({ base: at })
      const removed = await removeOld(destination, key, clock.now() - keep_ms)
      if (removed > 0) log.info('removed what is older than the kept days', { objects: removed })
    } catch (error) {
      this.baseDue = Math.max(this.baseDue, clock.now() + db_limits.follow_base_pause_ms)
      const isExpected = error instanceof BaseGivenUp || error instanceof DestinationUnavailable
      if (!this.isStopped)
        log[isExpected ? 'warn' : 'error']('no base was stored', { reason: (error as Error).message })
    } finally {
      end()
    }
  }

  private beginContents(connection: C): void {
    const { contents, clock } = this.following
    if (contents === null || this.copying !== null || clock.now() < this.contentsDue) return
    const from = clock.now()
    const isStopped = () => !this.isHeld(connection)
    this.copying = contents
      .copy(this.contentRows(connection), isStopped)
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

  private async putHead({ chain, secret_key }: C): Promise<void> {
    const now = this.following.clock.now()
    if (now < this.headDue) return
    await chain.putHead(secret_key)
    this.headDue = now + db_limits.follow_head_ms
  }

  /** What failed last. */
  protected get failure(): string | null {
    return this.status.error
  }

  private report(change: Partial<FollowStatus>): void {
    this.status = { ...this.status, ...change }
    writeFollowStatus(this.following.folder, this.status)
  }
}
