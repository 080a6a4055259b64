/**
 * Follows a PostgreSQL server through its replication protocol: stores its write-ahead log as bytes without a gap, and a base
 * backup of the cluster each day. A replication slot keeps what the server may not remove yet. In each turn:
 *
 * 1. Ask the server for its time and for the end of the log on its disk: what was committed by then lies before it.
 * 2. Receive the log up to there and store it, in segments that lie within one file of the log.
 * 3. Let the server remove what lies before the newest segment.
 * 4. Begin a base when one is due, and copy new content of files; both continue in the background.
 *
 * A follower that was killed continues its chain if the server is still the same cluster in the same timeline, and its log still
 * has the bytes of the newest segment. Else it begins a new chain with a new base. All moments are those of the server's clock.
 */

import { db_limits } from '../../limits.ts'
import { LogRemoved } from '../../postgres/replication/connection.ts'
import { LogStream } from '../../postgres/replication/log-stream.ts'
import { fileStart } from '../../postgres/replication/positions.ts'
import { FollowedServer, type ServerState } from '../../postgres/replication/server.ts'
import { readSecretKeyRow } from '../../secret-key/check.ts'
import type { Store } from '../../store.ts'
import { DatabaseMisconfigured, StoreUnavailable } from '../../store.ts'
import { referencedContents } from '../backup.ts'
import { BaseGivenUp } from './base-copy.ts'
import { Chain } from './chain.ts'
import type { ContentRow } from './contents.ts'
import { type Followed, type Following, FollowLoop } from './follow-loop.ts'
import type { ServerSegment } from './layout.ts'
import { requireOwnChain } from './own-chain.ts'
import { copyServerBase } from './server-base.ts'

export interface PostgresFollowing extends Following {
  readonly store: Store
  /** Past a connection pooler. */
  readonly url: string
}

interface Connection extends Followed {
  readonly server: FollowedServer
  readonly state: ServerState
  readonly stream: LogStream
  /** Up to where the log is in the chain, and where its newest segment begins. */
  to: number
  from: number
  /** The end of the log when the server was asked last. */
  flushed: number
}

export class PostgresFollower extends FollowLoop<Connection, PostgresFollowing> {
  /** Bases that wait until the log is stored up to a position. */
  private waiting: {
    readonly position: number
    readonly resolve: () => void
    readonly reject: (error: Error) => void
  }[] = []

  protected async connect(): Promise<Connection> {
    const { destination, key, url, folder, store, log } = this.following
    const secret_key = (await readSecretKeyRow(store))?.fingerprint ?? ''
    await requireOwnChain(destination, key, folder, secret_key)
    const server = await FollowedServer.open(url)
    try {
      const { state, warnings } = await server.prepare()
      for (const warning of warnings) log.warn(warning)
      const newest = await Chain.newest(destination, key)
      const continued = newest === null ? null : await continuedStream(url, state, newest)
      const from = fileStart(state.flushed, state.file_bytes)
      const chain = newest !== null && continued !== null ? newest.chain : await this.newChain((await server.look()).at)
      const stream = continued?.stream ?? (await LogStream.open(url, state.slot, from, state.timeline))
      const place = continued === null ? { from, to: from } : { from: continued.from, to: continued.to }
      const connection = { server, state, stream, ...place, flushed: place.to, chain, secret_key }
      return await this.begun(connection, continued === null)
    } catch (error) {
      server.close()
      throw error
    }
  }

  protected release({ server, stream }: Connection): void {
    stream.close()
    server.close()
    for (const { reject } of this.waiting.splice(0)) reject(new BaseGivenUp('the log is no longer followed'))
  }

  protected judge(thrown: unknown) {
    const error = thrown as Error
    if (error instanceof DatabaseMisconfigured) return null
    return { error, reconnect: error instanceof StoreUnavailable || error instanceof LogRemoved }
  }

  protected logBytes({ flushed, from }: Connection): number {
    return Math.max(0, flushed - from)
  }

  protected contentRows(): AsyncIterable<ContentRow> {
    return referencedContents(this.following.store.reader('system'))
  }

  protected async copy(connection: Connection): Promise<number> {
    const { server, stream, chain } = connection
    await chain.settle()
    const { at, flushed } = await server.look()
    connection.flushed = flushed
    while (connection.to < flushed) {
      await stream.reach(flushed)
      await this.store(connection, at)
    }
    stream.confirm(connection.from)
    this.wakeBases(connection.to)
    this.startBase(connection, at)
    return chain.cover(at)
  }

  /** Stores what was received. With the log up to `flushed`, all commits made by `at` are stored. */
  private async store(connection: Connection, at: number): Promise<void> {
    const { stream, chain, flushed } = connection
    const { system, timeline, file_bytes } = connection.state
    for (;;) {
      const left = file_bytes - (connection.to % file_bytes)
      const piece = stream.next(Math.min(db_limits.follow_part_bytes, left))
      if (piece === null) return
      const from = piece.from
      const to = from + piece.bytes.length
      connection.from = from
      connection.to = to
      const about = { server: { system, timeline, from, to } }
      const startsLog = from % file_bytes === 0
      const covered = to >= flushed ? at : chain.covered
      await chain.append<ServerSegment>({ about, startsLog, content: piece.bytes }, piece.at, covered)
    }
  }

  private wakeBases(position: number): void {
    for (const each of this.waiting.splice(0)) {
      if (each.position <= position) each.resolve()
      else this.waiting.push(each)
    }
  }

  private startBase(connection: Connection, now: number): void {
    if (this.base !== null || this.following.clock.now() < this.baseDue) return
    const { chain, state } = connection
    const { url, destination, key } = this.following
    const { release, system, timeline, database, role } = state
    const start = { chain: chain.name, at: chain.moment(now), first: chain.start }
    const stored = (position: number) =>
      new Promise<void>((resolve, reject) => {
        this.waiting.push({ position, resolve, reject })
      })
    const isHeld = () => this.isHeld(connection)
    this.beginBase(() =>
      copyServerBase(
        { ...start, cluster: { release, system, timeline, database, role } },
        { url, destination, key, chain, isHeld, stored },
      ),
    )
  }
}

/** The log from the newest segment on, if it still has the bytes of that segment; null if not. */
async function continuedStream(
  url: string,
  state: ServerState,
  newest: NonNullable<Awaited<ReturnType<typeof Chain.newest>>>,
) {
  const { server } = newest.head as ServerSegment
  if (server === undefined || server.system !== state.system || server.timeline !== state.timeline) return null
  const { from, to } = server
  if (state.flushed < to) return null
  let stream: LogStream | null = null
  try {
    stream = await LogStream.open(url, state.slot, from, state.timeline)
    await stream.reach(to)
    const piece = stream.next(to - from)
    if (piece?.bytes.equals(newest.content)) return { stream, from, to }
  } catch (error) {
    stream?.close()
    if (error instanceof LogRemoved) return null
    throw error
  }
  stream.close()
  return null
}
