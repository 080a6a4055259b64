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
import { db_limits } from '../../limits.ts'
import { asStoreError } from '../../sqlite/errors.ts'
import { HeldLog, LogInterrupted } from '../../sqlite/held-log.ts'
import { log_format } from '../../sqlite/log/sums.ts'
import { ReaderFile } from '../../sqlite/reader-files.ts'
import { StoreUnavailable } from '../../store.ts'
import { copyBase } from './base-copy.ts'
import { Chain } from './chain.ts'
import type { ContentRow } from './contents.ts'
import { DestinationUnavailable } from './destination.ts'
import { type Followed, type Following, FollowLoop } from './follow-loop.ts'
import { framesPart, placeAfter } from './frames.ts'
import { requireOwnChain } from './own-chain.ts'

export interface SqliteFollowing extends Following {
  /** The database file. */
  readonly file: string
}

interface Connection extends Followed {
  readonly held: HeldLog
  reader: ReaderFile
}

export class SqliteFollower extends FollowLoop<Connection, SqliteFollowing> {
  /** Frames in the log when it was last tried to let it start over. */
  private tried = 0

  protected async connect(): Promise<Connection> {
    const { file, destination, key, clock } = this.following
    const secret_key = await this.requireOwn()
    const newest = await Chain.newest(destination, key)
    const place = newest === null ? null : placeAfter(newest.head)
    const continued = place === null ? null : continuedLog(file, place)
    const held = continued ?? new HeldLog(file, null)
    const chain = newest !== null && continued !== null ? newest.chain : await this.newChain(clock.now())
    this.tried = 0
    const connection = { held, chain, reader: new ReaderFile(file), secret_key }
    return await this.begun(connection, continued === null)
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
    await requireOwnChain(destination, key, folder, secret_key)
    return secret_key
  }

  protected release({ reader, held }: Connection): void {
    reader.remove()
    held.close()
  }

  protected judge(thrown: unknown) {
    const error = asStoreError(thrown) as Error
    // The next turn opens the log again, and continues if it is the same.
    return { error, reconnect: error instanceof LogInterrupted || error instanceof StoreUnavailable }
  }

  protected logBytes({ held }: Connection): number {
    return held.frames() * log_format.page_bytes
  }

  protected contentRows({ held }: Connection): AsyncIterable<ContentRow> {
    return contentRows(held)
  }

  /** A destination that fails for long must not let the log grow without limit. */
  protected override guard(): void {
    const { connection } = this
    const { clock, log } = this.following
    if (connection === null || clock.now() - connection.chain.covered < db_limits.follow_behind_ms) return
    const bytes = connection.held.frames() * log_format.page_bytes
    if (bytes < db_limits.follow_log_bytes_max) return
    log.error('the write-ahead log is no longer held', { bytes, reason: this.failure })
    this.disconnect()
  }

  protected async copy(connection: Connection): Promise<number> {
    touch(connection, this.following.file)
    const at = await this.copyLog(connection)
    await this.startOver(connection)
    await this.startBase(connection)
    return at
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
        await chain.append(framesPart(copied), at, copied.to.frame === look.frames ? before : chain.covered)
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
    if (copied !== null) await chain.append(framesPart(copied), this.following.clock.now())
  }

  private async startBase(connection: Connection): Promise<void> {
    const { held, chain } = connection
    const { destination, key, clock } = this.following
    if (this.base !== null || clock.now() < this.baseDue) return
    const { start } = chain
    const hold = held.hold()
    const release = () => {
      if (this.connection?.held === held) held.release(hold)
    }
    try {
      // Everything that the held transaction sees is in segments then.
      await this.copyLog(connection)
    } catch (error) {
      release()
      throw error
    }
    const at = chain.moment(clock.now())
    const { name, covered, last } = chain
    const base = { chain: name, at, covered, first: start, last, bytes: held.size() }
    const isHeld = () => this.isHeld(connection)
    this.beginBase(() => copyBase(held, base, { destination, key, isHeld }), release)
  }
}

const contents_page = `select realm, sha256, bytes, key from file_contents
  where (realm, sha256) > (?, ?) order by realm, sha256 limit ${db_limits.backup_page_rows}`

/** The contents that the database names, in pages. */
async function* contentRows(held: HeldLog): AsyncGenerator<ContentRow> {
  let behind: readonly [number, string] = [-1, '']
  for (;;) {
    const page = held.all(contents_page, ...behind).map((row) => ({
      ...{ realm: Number(row.realm), sha256: String(row.sha256) },
      ...{ bytes: Number(row.bytes), key: String(row.key) },
    }))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < db_limits.backup_page_rows) return
    behind = [last.realm, last.sha256]
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
    connection.reader = new ReaderFile(file)
  }
}
