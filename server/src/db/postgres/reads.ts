/**
 * Reads outside transactions, over a few pipelined connections. Reads of one turn of the event loop are sent together
 * at its end, look-ups by key in one statement. Each sees everything committed before it was requested.
 */
import type pg from 'pg'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import type { Scope } from '../store.ts'
import { GatheredReads } from './gathered-reads.ts'
import { PostgresSession, scopeKey } from './session.ts'

export class PostgresReads {
  private readonly sessions: readonly PostgresSession[]
  /** The reads of this turn, by scope. */
  private turn: Map<string, GatheredReads> | null = null
  private next = 0

  constructor(config: pg.ClientConfig, bypassesRowSecurity: boolean) {
    this.sessions = Array.from(
      { length: db_limits.read_connections },
      () => new PostgresSession(config, bypassesRowSecurity),
    )
  }

  rows<R>(scope: Scope, query: AnyQuery<R>, values: Values): Promise<R[]> {
    this.turn ??= this.begin()
    const key = scopeKey(scope)
    let gathered = this.turn.get(key)
    if (gathered === undefined) {
      gathered = new GatheredReads((each, bound) => this.session().rows(scope, each, bound))
      this.turn.set(key, gathered)
    }
    return gathered.add(query, values) as Promise<R[]>
  }

  private begin(): Map<string, GatheredReads> {
    const turn = new Map<string, GatheredReads>()
    setImmediate(() => {
      this.turn = null
      for (const gathered of turn.values()) gathered.send()
    })
    return turn
  }

  private session(): PostgresSession {
    return this.sessions[this.next++ % this.sessions.length] as PostgresSession
  }

  async ping(): Promise<void> {
    await this.session().ping()
  }

  async close(): Promise<void> {
    await Promise.all(this.sessions.map((session) => session.close()))
  }
}
