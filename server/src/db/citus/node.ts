/**
 * The connections to one node of a cluster, past the coordinator. Statements about the rows that the node holds run in the
 * session itself, so their settings need not be passed on. A node that fails rests: nothing is sent to it until a probe has
 * found it ready again. Invariant: nothing is sent to a server that the coordinator does not mean by this address.
 */
import { sql } from 'kysely'
import pg from 'pg'
import { db_limits } from '../limits.ts'
import { type Address, prepareClient } from '../postgres/client.ts'
import { PostgresListener, type Watchers } from '../postgres/listener.ts'
import { Readiness } from '../postgres/readiness.ts'
import { PostgresSessions } from '../postgres/reads.ts'
import type { Visible } from '../postgres/row-security.ts'
import type { OnShards } from '../postgres/session.ts'
import { type AnyQuery, rawQuery, type Values } from '../query.ts'
import type { NodeStatus } from '../store.ts'

/** A server, and the database in it. */
export const identity = `select system_identifier || ' ' || current_database() from pg_control_system()`

const readIdentity = rawQuery(() => sql<{ identity: string }>`select (${sql.raw(identity)}) as identity`)

/** The identity of a node as the coordinator sees it; null if the node does not answer. */
export type AskIdentity = (name: string) => Promise<string | null>

export class ShardNode {
  readonly name: string
  readonly address: Address
  private readonly askIdentity: AskIdentity
  private readonly pool: pg.Pool
  private readonly sessions: PostgresSessions
  private readonly listener: PostgresListener
  private listens = false
  private fault: string | null = null
  private readonly readiness = new Readiness(() => this.examine(), db_limits.node_probe_ms)

  constructor(name: string, address: Address, askIdentity: AskIdentity, watchers: Watchers) {
    this.name = name
    this.address = address
    this.askIdentity = askIdentity
    this.pool = new pg.Pool({
      ...address.config,
      max: db_limits.node_write_connections,
      idleTimeoutMillis: db_limits.idle_connection_ms,
      onConnect: (client) => prepareClient(client, address),
    })
    this.pool.on('error', () => {})
    this.sessions = new PostgresSessions(address, db_limits.node_read_connections)
    this.listener = new PostgresListener(address, watchers)
    this.rest(null)
  }

  get isReady(): boolean {
    return this.readiness.isReady
  }

  /** Resolves when the first probe has ended. */
  get examined(): Promise<void> {
    return this.readiness.examined
  }

  rows(shards: OnShards, visible: Visible, query: AnyQuery, values: Values): Promise<unknown[]> {
    return this.sessions.rowsOn(shards, visible, query, values)
  }

  connect(): Promise<pg.PoolClient> {
    return this.pool.connect()
  }

  /** Listens for the commits of transactions on this node: PostgreSQL notifies only the server of the transaction. */
  listen(): void {
    this.listens = true
    if (this.isReady) this.listener.keep()
  }

  /** Nothing is sent here until a probe has succeeded. */
  rest(reason: unknown): void {
    if (reason !== null) this.fault = (reason as Error).message
    this.readiness.rest()
  }

  private async examine(): Promise<boolean> {
    this.fault = await this.findFault()
    if (this.fault === null && this.listens) this.listener.keep()
    return this.fault === null
  }

  /** Why the node cannot be used; null if it can. Never rejects. */
  private async findFault(): Promise<string | null> {
    try {
      const expected = await this.askIdentity(this.name)
      if (expected === null) return 'it does not answer the coordinator'
      const [found] = await this.sessions.rows('system', readIdentity, {})
      return (found as { identity: string }).identity === expected ? null : 'another server answers at its address'
    } catch (error) {
      return (error as Error).message
    }
  }

  status(): NodeStatus {
    const { name, isReady, fault } = this
    return { name, ready: isReady, fault }
  }

  async close(): Promise<void> {
    await this.readiness.close()
    await Promise.all([this.pool.end(), this.sessions.close(), this.listener.close()])
  }
}
