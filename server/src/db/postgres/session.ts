/**
 * One pipelined connection for reads, shared by many requests: before a query, the session's scope is set unless the
 * query before it had the same. Statements on a connection run in the order sent, so a setting holds exactly for the
 * queries after it; an answer counts only if the setting before it succeeded. A lost connection is opened again, and
 * the query repeated.
 */
import type pg from 'pg'
import { db_limits } from '../limits.ts'
import type { AnyQuery, Values } from '../query.ts'
import { scopeSettings, type Visible } from '../row-security.ts'
import { StoreUnavailable } from '../store.ts'
import { closeClient, cork, openClient } from './client.ts'
import { asStoreError, isConnectionLost, isRetryable } from './errors.ts'
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
}

function ignore(): void {}

export class PostgresSession {
  private readonly config: pg.ClientConfig
  private readonly bypassesRowSecurity: boolean
  private opening: Promise<Opened> | null = null
  private opened: Opened | null = null
  private closed = false

  constructor(config: pg.ClientConfig, bypassesRowSecurity: boolean) {
    this.config = config
    this.bypassesRowSecurity = bypassesRowSecurity
  }

  async rows<R>(visible: Visible, query: AnyQuery<R>, values: Values): Promise<R[]> {
    const { sql, name, bind } = query.statement('postgres')
    const statement = { sql, values: bind(values), ...(name === undefined ? {} : { name }) }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send<R>(visible, statement)
      } catch (error) {
        const again = isConnectionLost(error) || isRetryable(error)
        if (!again || error instanceof StoreUnavailable || attempt >= db_limits.read_attempts_max)
          throw asStoreError(error)
      }
    }
  }

  private async send<R>(visible: Visible, statement: Bound): Promise<R[]> {
    const opened = this.opened ?? (await this.open())
    const { client } = opened
    const key = scopeKey(visible)
    cork(client)
    if (key !== opened.scope || opened.scoped === null) {
      opened.scope = key
      opened.scoped = run(client, scopeSettings(visible, false))
      opened.scoped.catch(() => this.drop(opened))
    }
    try {
      const [{ rows }] = await Promise.all([run<R>(client, statement), opened.scoped])
      return rows
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
      const client = await openClient(this.config, this.bypassesRowSecurity)
      const opened: Opened = { client, scope: '', scoped: null }
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
