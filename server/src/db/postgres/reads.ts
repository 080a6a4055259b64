/**
 * Reads outside transactions, over a few pipelined connections. Reads of one turn of the event loop are sent together
 * at its end, look-ups by key in one statement: those of several organizations too, if each names its own tenant
 * (`own-rows.ts`). Each sees everything committed before it was requested.
 */
import type pg from 'pg'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import type { Scope, TenantScope } from '../store.ts'
import { GatheredReads } from './gathered-reads.ts'
import { isOwn } from './own-rows.ts'
import { PostgresSession, scopeKey } from './session.ts'

/** The reads of one turn. */
interface Turn {
  /** Look-ups that name their own tenant, and the scopes that they come from. */
  readonly shared: GatheredReads
  readonly scopes: Map<string, TenantScope>
  /** All others, by scope. */
  readonly others: Map<string, GatheredReads>
}

export class PostgresReads {
  private readonly sessions: readonly PostgresSession[]
  private turn: Turn | null = null
  private next = 0

  constructor(config: pg.ClientConfig, bypassesRowSecurity: boolean) {
    this.sessions = Array.from(
      { length: db_limits.read_connections },
      () => new PostgresSession(config, bypassesRowSecurity),
    )
  }

  rows<R>(scope: Scope, query: AnyQuery<R>, values: Values): Promise<R[]> {
    this.turn ??= this.begin()
    const { shared, scopes, others } = this.turn
    const key = scopeKey(scope)
    if (scope !== 'system' && isOwn(scope, query.statement('postgres').effect, values)) {
      scopes.set(key, scope)
      return shared.add(query, values) as Promise<R[]>
    }
    let gathered = others.get(key)
    if (gathered === undefined) {
      gathered = new GatheredReads((each, bound) => this.session().rows(scope, each, bound))
      others.set(key, gathered)
    }
    return gathered.add(query, values) as Promise<R[]>
  }

  private begin(): Turn {
    const scopes = new Map<string, TenantScope>()
    const shared = new GatheredReads((each, bound) => this.session().rows([...scopes.values()], each, bound))
    const others = new Map<string, GatheredReads>()
    setImmediate(() => {
      this.turn = null
      // Look-ups first: they decide about a page's rows.
      shared.send()
      for (const gathered of others.values()) gathered.send()
    })
    return { shared, scopes, others }
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
