/**
 * Reads outside transactions, over a few pipelined connections. Reads of one turn of the event loop are sent together
 * at its end, look-ups by key in one statement: those of several organizations too, if each names its own tenant
 * (`own-rows.ts`). Each sees everything committed before it was requested.
 */
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import type { Visible } from '../row-security.ts'
import type { Scope, TenantScope } from '../store.ts'
import type { Address } from './client.ts'
import { GatheredReads } from './gathered-reads.ts'
import { isOwn } from './own-rows.ts'
import { PostgresSession, scopeKey } from './session.ts'

/** Reads from some server. */
export type ReadRows = (visible: Visible, query: AnyQuery, values: Values) => Promise<unknown[]>

/** The reads of one turn. */
interface Turn {
  /** Look-ups that name their own tenant, and the scopes that they come from. */
  readonly shared: GatheredReads
  readonly scopes: Map<string, TenantScope>
  /** All others, by scope. */
  readonly others: Map<string, GatheredReads>
  readonly read: ReadRows
}

export class PostgresReads {
  private readonly open: () => ReadRows
  private readonly joins: boolean
  private turn: Turn | null = null

  /** `open` is called when the reads of a turn are sent, and returns what reads them. Without `joins`, each is sent alone. */
  constructor(open: () => ReadRows, joins: boolean) {
    this.open = open
    this.joins = joins
  }

  rows<R>(scope: Scope, query: AnyQuery<R>, values: Values): Promise<R[]> {
    this.turn ??= this.begin()
    const { shared, scopes, others, read } = this.turn
    const key = scopeKey(scope)
    if (this.joins && scope !== 'system' && isOwn(scope, query.statement('postgres').effect, values)) {
      scopes.set(key, scope)
      return shared.add(query, values) as Promise<R[]>
    }
    let gathered = others.get(key)
    if (gathered === undefined) {
      gathered = new GatheredReads((each, bound) => read(scope, each, bound), this.joins)
      others.set(key, gathered)
    }
    return gathered.add(query, values) as Promise<R[]>
  }

  private begin(): Turn {
    let opened: ReadRows | null = null
    const read: ReadRows = (visible, query, values) => {
      opened ??= this.open()
      return opened(visible, query, values)
    }
    const scopes = new Map<string, TenantScope>()
    const shared = new GatheredReads((each, bound) => read([...scopes.values()], each, bound), this.joins)
    const others = new Map<string, GatheredReads>()
    setImmediate(() => {
      this.turn = null
      // Look-ups first: they decide about a page's rows.
      shared.send()
      for (const gathered of others.values()) gathered.send()
    })
    return { shared, scopes, others, read }
  }
}

/** Connections for reads from one server, used in turn. */
export class PostgresSessions {
  private readonly sessions: readonly PostgresSession[]
  private next = 0

  constructor(address: Address, count: number = db_limits.read_connections) {
    this.sessions = Array.from({ length: count }, () => new PostgresSession(address))
  }

  readonly rows: ReadRows = (visible, query, values) => this.session().rows(visible, query, values)

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
