/**
 * One pipelined connection for reads, shared by many requests: before a query, the session's scope is set unless the
 * query before it had the same. Statements on a connection run in the order sent, so a setting holds exactly for the
 * queries after it; an answer counts only if the setting before it succeeded. A lost connection is opened again, and
 * the query repeated. Through a pooler each query is sent together with its scope, as one transaction.
 */
import type pg from 'pg'
import { readSettings, type ShardTables, shardsKey } from '../citus/shard-tables.ts'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import { StoreUnavailable } from '../store.ts'
import { type Address, closeClient, cork, openClient, passesSettingsOn, transactionSettings } from './client.ts'
import { asStoreError, isConnectionLost, isElsewhere, isRetryable, RowsElsewhere } from './errors.ts'
import { type Position, readPosition } from './position.ts'
import { scopeSettings, settingStatements, type Visible } from './row-security.ts'
import { type Bound, run } from './statement.ts'

/** Identifies what is visible. */
export function scopeKey(visible: Visible): string {
  if (visible === 'system') return visible
  if ('organization' in visible) return `${visible.organization} ${visible.realms.join()}`
  return visible.map(scopeKey).join(' ')
}

/** A connection with the scope last set on it. A new connection starts without one. */
interface Opened {
  readonly client: pg.Client
  scope: string
  scoped: Promise<unknown> | null
  /** Whether a later statement must first find out again that its shards are on the node. */
  isOld: boolean
}

/** The shards that a statement names, and those of all statements that share its settings. */
export interface OnShards {
  readonly tables: ShardTables
  readonly all: readonly ShardTables[]
}

function ignore(): void {}

const begin_read: Bound = { name: 'begin read', sql: 'begin read only', values: [] }
const end_read: Bound = { name: 'end read', sql: 'commit', values: [] }

function boundTo(query: AnyQuery, values: Values, shards: OnShards | null = null): Bound {
  const statement = shards === null ? query.statement('postgres') : shards.tables.statement(query)
  if (statement === null) throw new RowsElsewhere('the statement cannot name shards')
  const { sql, name, bind } = statement
  return { sql, values: bind(values), ...(name === undefined ? {} : { name }) }
}

/** Rows, and a position that their server had before it found them. */
export interface Located<R> {
  readonly position: Promise<Position>
  readonly rows: Promise<R[]>
}

export class PostgresSession {
  private readonly address: Address
  private opening: Promise<Opened> | null = null
  private opened: Opened | null = null
  private closed = false

  constructor(address: Address) {
    this.address = address
  }

  async rows<R>(visible: Visible, query: AnyQuery<R>, values: Values, shards: OnShards | null = null): Promise<R[]> {
    const statement = boundTo(query, values, shards)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send<R>(this.opened ?? (await this.open()), visible, statement, shards)
      } catch (error) {
        const again = isConnectionLost(error) || isRetryable(error)
        if (!again || error instanceof StoreUnavailable || attempt >= db_limits.read_attempts_max)
          throw asStoreError(error)
      }
    }
  }

  /** Sends a query right behind the question for the server's position, on one connection, once. */
  async locate<R>(visible: Visible, query: AnyQuery<R>, values: Values): Promise<Located<R>> {
    const opened = this.opened ?? (await this.open())
    cork(opened.client)
    const position = run<Position>(opened.client, boundTo(readPosition, {})).then(({ rows }) => rows[0] as Position)
    const rows = this.send<R>(opened, visible, boundTo(query, values))
    position.catch(ignore)
    rows.catch(ignore)
    return { position, rows }
  }

  private async send<R>(
    opened: Opened,
    visible: Visible,
    statement: Bound,
    shards: OnShards | null = null,
  ): Promise<R[]> {
    const { client } = opened
    cork(client)
    if (this.address.isPooled) return await this.sendWhole<R>(opened, visible, statement)
    if (passesSettingsOn(this.address)) return await this.sendTransaction<R>(opened, visible, statement)
    if (shards === null) this.setScope(opened, scopeKey(visible), scopeSettings(visible, false))
    else this.setShards(opened, visible, shards)
    try {
      const [{ rows }] = await Promise.all([run<R>(client, statement), opened.scoped])
      return rows
    } catch (error) {
      if (isConnectionLost(error)) this.drop(opened)
      throw error
    }
  }

  private setScope(opened: Opened, key: string, settings: Bound): void {
    if (key === opened.scope && opened.scoped !== null) return
    opened.scope = key
    const scoped = run(opened.client, settings)
    opened.scoped = scoped
    scoped.catch((error: unknown) => {
      if (!isElsewhere(error)) this.drop(opened)
      else if (opened.scoped === scoped) opened.scoped = null
    })
  }

  /** What is sent in one turn shares the question whether its shards are on the node. */
  private setShards(opened: Opened, visible: Visible, { all }: OnShards): void {
    if (opened.isOld) {
      opened.scoped = null
      opened.isOld = false
      setImmediate(() => {
        opened.isOld = true
      })
    }
    this.setScope(opened, `${scopeKey(visible)} on ${shardsKey(all)}`, readSettings(visible, all))
  }

  private async sendWhole<R>(opened: Opened, visible: Visible, statement: Bound): Promise<R[]> {
    try {
      return (await run<R>(opened.client, statement, transactionSettings(this.address, visible, false))).rows
    } catch (error) {
      if (isConnectionLost(error)) this.drop(opened)
      throw error
    }
  }

  /** Citus passes settings on to other nodes only within a transaction. */
  private async sendTransaction<R>(opened: Opened, visible: Visible, statement: Bound): Promise<R[]> {
    const { client } = opened
    const sent = [begin_read, ...settingStatements(visible)].map((each) => run(client, each))
    const result = run<R>(client, statement)
    const parts = [...sent, result, run(client, end_read)]
    for (const part of parts) part.catch(ignore)
    try {
      await Promise.all(parts)
      return (await result).rows
    } catch (error) {
      if (isConnectionLost(error)) this.drop(opened)
      throw error
    }
  }

  private open(): Promise<Opened> {
    this.opening ??= this.connect().finally(() => {
      this.opening = null
    })
    return this.opening
  }

  private async connect(): Promise<Opened> {
    if (this.closed) throw new StoreUnavailable('the database is closed')
    try {
      const client = await openClient(this.address)
      const opened: Opened = { client, scope: '', scoped: null, isOld: true }
      client.on('error', () => this.drop(opened))
      client.on('end', () => this.drop(opened))
      this.opened = opened
      return opened
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  /** A connection that was lost, or whose scope is uncertain, is never used again. */
  private drop(opened: Opened): void {
    if (this.opened !== opened) return
    this.opened = null
    closeClient(opened.client).catch(ignore)
  }

  async ping(): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('no answer')), db_limits.database_wait_ms)
    try {
      await Promise.race([promise, this.probe()])
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    } finally {
      clearTimeout(timer)
    }
  }

  private async probe(): Promise<void> {
    const { client } = this.opened ?? (await this.open())
    await client.query('select 1')
  }

  async close(): Promise<void> {
    this.closed = true
    const opened = this.opened ?? (await this.opening?.catch(() => null))
    this.opened = null
    if (opened) await closeClient(opened.client)
  }
}
