/**
 * Reads outside transactions, over a few pipelined connections. Reads of one turn of the event loop are sent together
 * at its end, look-ups by key in one statement: those of several organizations too, if each names its own tenant
 * (`own-rows.ts`). On Citus each is a statement, but those of one node share their settings. Each sees everything committed before
 * it was requested.
 */
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import type { Scope, TenantScope } from '../store.ts'
import type { Address } from './client.ts'
import { GatheredReads } from './gathered-reads.ts'
import { isOwn } from './own-rows.ts'
import type { Visible } from './row-security.ts'
import { PostgresSession, scopeKey } from './session.ts'

/** Reads from some server. */
export type ReadRows = (visible: Visible, query: AnyQuery, values: Values) => Promise<unknown[]>

/** Reads that are sent with the same settings, and the scopes that they come from. */
interface SharedReads {
  readonly gathered: GatheredReads
  readonly scopes: Map<string, TenantScope>
}

/** The reads of one turn. */
interface Turn {
  /** Those that name their own tenant, by the place of their rows. */
  readonly shared: Map<string, SharedReads>
  /** All others, by scope. */
  readonly others: Map<string, GatheredReads>
  readonly read: ReadRows
}

/** Names the server of an organization's rows; reads of one server can share settings. Null if they cannot. */
export type PlaceOf = (scope: TenantScope) => string | null

export class PostgresReads {
  private readonly open: () => ReadRows
  private readonly joins: boolean
  private readonly placeOf: PlaceOf
  private turn: Turn | null = null

  /** `open` is called when the reads of a turn are sent, and returns what reads them. Without `joins`, each is sent alone. */
  constructor(open: () => ReadRows, joins: boolean, placeOf: PlaceOf = () => '') {
    this.open = open
    this.joins = joins
    this.placeOf = placeOf
  }

  rows<R>(scope: Scope, query: AnyQuery<R>, values: Values): Promise<R[]> {
    this.turn ??= this.begin()
    const { shared, others, read } = this.turn
    const key = scopeKey(scope)
    const isShared = scope !== 'system' && isOwn(scope, query.statement('postgres').effect, values)
    const place = isShared ? this.placeOf(scope) : null
    if (isShared && place !== null) {
      const { gathered, scopes } = this.sharedAt(place, shared, read)
      scopes.set(key, scope)
      return gathered.add(query, values) as Promise<R[]>
    }
    let gathered = others.get(key)
    if (gathered === undefined) {
      gathered = new GatheredReads((each, bound) => read(scope, each, bound), this.joins)
      others.set(key, gathered)
    }
    return gathered.add(query, values) as Promise<R[]>
  }

  private sharedAt(place: string, shared: Map<string, SharedReads>, read: ReadRows): SharedReads {
    const known = shared.get(place)
    if (known !== undefined) return known
    const scopes = new Map<string, TenantScope>()
    const gathered = new GatheredReads((each, bound) => read([...scopes.values()], each, bound), this.joins)
    shared.set(place, { gathered, scopes })
    return { gathered, scopes }
  }

  private begin(): Turn {
    let opened: ReadRows | null = null
    const read: ReadRows = (visible, query, values) => {
      opened ??= this.open()
      return opened(visible, query, values)
    }
    const turn: Turn = { shared: new Map(), others: new Map(), read }
    setImmediate(() => {
      this.turn = null
      // Look-ups first: they decide about a page's rows.
      for (const { gathered } of turn.shared.values()) gathered.send()
      for (const gathered of turn.others.values()) gathered.send()
    })
    return turn
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
