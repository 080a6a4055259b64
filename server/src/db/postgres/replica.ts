/**
 * One read replica. A read is sent to it together with the question for its position, on one connection, and its rows
 * count only if the replica had everything that the primary had acknowledged when the read was requested. A replica that
 * fails or lags rests: no read waits for it until a probe has found it ready again. Invariant: no read takes longer than
 * `replica_wait_ms` to find out that the primary has to answer it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import type { ReplicaStatus } from '../store.ts'
import { type Address, openClient } from './client.ts'
import { includes, type Position, readPosition, reasonAgainst } from './position.ts'
import { Readiness } from './readiness.ts'
import { preparePostgres } from './role.ts'
import type { Visible } from './row-security.ts'
import { PostgresSession } from './session.ts'

/** The position of the primary at a moment after the call. */
export type AskPrimary = () => Promise<Position>

class TooLate extends Error {}

/** Rejects with `TooLate` at the time `until`. */
async function before<T>(until: number, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TooLate('no answer in time')), Math.max(0, until - performance.now()))
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

export class Replica {
  private readonly url: string
  private readonly askPrimary: AskPrimary
  private address: Address | null = null
  private probe: PostgresSession | null = null
  private sessions: readonly PostgresSession[] = []
  private next = 0
  private readonly readiness = new Readiness(() => this.examine(), db_limits.replica_probe_ms)
  private behind: number | null = null
  private fault: string | null = null
  private served = 0
  private passedOn = 0

  constructor(url: string, askPrimary: AskPrimary) {
    this.url = url
    this.askPrimary = askPrimary
    this.rest(null)
  }

  get isReady(): boolean {
    return this.readiness.isReady
  }

  /** The rows, or null if the primary has to answer. */
  async rows(visible: Visible, query: AnyQuery, values: Values, wanted: Promise<Position>): Promise<unknown[] | null> {
    const until = performance.now() + db_limits.replica_wait_ms
    try {
      for (let pause_ms = 1; ; pause_ms *= 2) {
        const session = this.sessions[this.next++ % this.sessions.length] as PostgresSession
        const { rows, position } = await before(until, session.locate(visible, query, values))
        const [here, there] = await before(until, Promise.all([position, wanted]))
        if (this.note(here, there)) {
          const found = await rows
          this.served++
          return found
        }
        await before(until, sleep(pause_ms))
      }
    } catch (error) {
      // Whatever failed here, the primary answers or reports the same.
      this.passedOn++
      this.rest(error)
      return null
    }
  }

  /** A connection to the replica when it has everything that the primary has acknowledged; null if that takes too long. */
  async connect(): Promise<{ client: pg.Client; address: Address } | null> {
    const { address } = this
    if (address === null) return null
    try {
      const client = await openClient(address)
      const session = this.probe as PostgresSession
      const until = performance.now() + db_limits.replica_wait_ms
      if (await this.reaches(session, until)) return { client, address }
      await client.end()
    } catch (error) {
      this.rest(error)
    }
    this.passedOn++
    return null
  }

  /** Keeps the distance, and returns whether the replica has what is wanted. */
  private note(here: Position, there: Position): boolean {
    this.fault = reasonAgainst(here, there)
    this.behind = this.fault === null ? Math.max(0, there.bytes - here.bytes) : null
    return includes(here, there)
  }

  private async reaches(session: PostgresSession, until: number): Promise<boolean> {
    const there = await before(until, this.askPrimary())
    for (let pause_ms = 1; ; pause_ms *= 2) {
      const here = (await before(until, session.rows('system', readPosition, {})))[0] as Position
      if (this.note(here, there)) return true
      if (performance.now() + pause_ms > until) return false
      await sleep(pause_ms)
    }
  }

  /** No read is sent here until a probe has succeeded. */
  private rest(reason: unknown): void {
    if (reason !== null && !(reason instanceof TooLate)) this.fault = (reason as Error).message
    this.readiness.rest()
  }

  /** Whether the replica can answer now. Never rejects. */
  private async examine(): Promise<boolean> {
    try {
      const session = await this.open()
      // The first answers take longer, because they open connections.
      const until = performance.now() + db_limits.replica_answer_ms
      const first = Promise.all([session.rows('system', readPosition, {}), this.askPrimary()])
      const [[here], there] = await before(until, first)
      this.note(here as Position, there)
      if (this.fault !== null) return false
      return await this.reaches(session, performance.now() + db_limits.replica_wait_ms)
    } catch (error) {
      this.fault = (error as Error).message
      this.behind = null
      return false
    }
  }

  private async open(): Promise<PostgresSession> {
    if (this.probe !== null) return this.probe
    const address = await preparePostgres(this.url)
    this.address = address
    this.sessions = Array.from({ length: db_limits.read_connections }, () => new PostgresSession(address))
    this.probe = new PostgresSession(address)
    return this.probe
  }

  /** Its state at the last probe, or now if it is ready. Waits for the first probe. */
  async status(): Promise<ReplicaStatus> {
    if (!this.isReady) await this.readiness.examined
    else if (!(await this.examine())) this.rest(null)
    const { host, pathname } = new URL(this.url)
    const { isReady, behind, fault, served, passedOn } = this
    return { name: `${host}${pathname}`, ready: isReady, behind_bytes: behind, fault, served, passed_on: passedOn }
  }

  async close(): Promise<void> {
    await this.readiness.close()
    await Promise.all([...this.sessions, ...(this.probe === null ? [] : [this.probe])].map((each) => each.close()))
  }
}
