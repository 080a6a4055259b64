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
import { type OnShards, PostgresSession, scopeKey } from './session.ts'

/** Reads from some server. `of`: one of the organizations with the rows, if several share the settings. */
export type ReadRows = (
  visible: Visible,
  query: AnyQuery,
  values: Values,
  of?: TenantScope | null,
) => Promise<unknown[]>

/** Reads from one server that are sent with the same settings, and the scopes that they come from. */
class SharedReads {
  private readonly scopes = new Map<string, TenantScope>()
  private readonly parts = new Map<string, GatheredReads>()
  private readonly read: ReadRows
  /** Null until the scopes are known that are there when something is sent. */
  private visible: readonly TenantScope[] | null = null

  constructor(read: ReadRows) {
    this.read = read
  }

  add(key: string, scope: TenantScope, part: string, query: AnyQuery, values: Values): Promise<unknown[]> {
    if (!this.scopes.has(key)) {
      this.scopes.set(key, scope)
      this.visible = null
    }
    let gathered = this.parts.get(part)
    if (gathered === undefined) {
      gathered = new GatheredReads((each, bound) => this.ask(each, bound, scope))
      this.parts.set(part, gathered)
    }
    return gathered.add(query, values)
  }

  private ask(query: AnyQuery, values: Values, of: TenantScope): Promise<unknown[]> {
    this.visible ??= [...this.scopes.values()]
    return this.read(this.visible, query, values, of)
  }

  send(): void {
    for (const gathered of this.parts.values()) gathered.send()
  }
}

/** The reads of one turn. */
interface Turn {
  /** Those that name their own tenant, by the server of their rows. */
  readonly shared: Map<string, SharedReads>
  /** All others, by scope. */
  readonly others: Map<string, GatheredReads>
  readonly read: ReadRows
}

/** Where an organization's rows are: reads of one server share settings, those of one part are joined too. */
export interface Place {
  readonly server: string
  readonly part: string
}

/** Null if the organization's reads share nothing. */
export type PlaceOf = (scope: TenantScope) => Place | null

/** Whether equal look-ups of a scope may become one statement. */
export type Joins = (scope: Scope, query: AnyQuery) => boolean

const one_place: Place = { server: '', part: '' }

export class PostgresReads {
  private readonly open: () => ReadRows
  private readonly joins: Joins
  private readonly placeOf: PlaceOf
  private turn: Turn | null = null

  /** `open` is called when the reads of a turn are sent, and returns what reads them. `joins`: which of a scope may be joined. */
  constructor(open: () => ReadRows, joins: Joins = () => true, placeOf: PlaceOf = () => one_place) {
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
      let at = shared.get(place.server)
      if (at === undefined) {
        at = new SharedReads(read)
        shared.set(place.server, at)
      }
      return at.add(key, scope, place.part, query, values) as Promise<R[]>
    }
    let gathered = others.get(key)
    if (gathered === undefined) {
      gathered = new GatheredReads(
        (each, bound) => read(scope, each, bound),
        (each) => this.joins(scope, each),
      )
      others.set(key, gathered)
    }
    return gathered.add(query, values) as Promise<R[]>
  }

  private begin(): Turn {
    let opened: ReadRows | null = null
    const read: ReadRows = (visible, query, values, of) => {
      opened ??= this.open()
      return opened(visible, query, values, of)
    }
    const turn: Turn = { shared: new Map(), others: new Map(), read }
    setImmediate(() => {
      this.turn = null
      // Look-ups first: they decide about a page's rows.
      for (const at of turn.shared.values()) at.send()
      for (const gathered of turn.others.values()) gathered.send()
    })
    return turn
  }
}

/** Connections for reads from one server, used in turn. */
export class PostgresSessions {
  private readonly sessions: readonly PostgresSession[]
  private next = 0
  private ofTurn: PostgresSession | null = null

  constructor(address: Address, count: number = db_limits.read_connections) {
    this.sessions = Array.from({ length: count }, () => new PostgresSession(address))
  }

  readonly rows: ReadRows = (visible, query, values) => this.session().rows(visible, query, values)

  /** Names shards. The statements of one turn share a session, and thereby its settings. */
  rowsOn(shards: OnShards, visible: Visible, query: AnyQuery, values: Values): Promise<unknown[]> {
    if (this.ofTurn === null) {
      this.ofTurn = this.session()
      setImmediate(() => {
        this.ofTurn = null
      })
    }
    return this.ofTurn.rows(visible, query, values, shards)
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
