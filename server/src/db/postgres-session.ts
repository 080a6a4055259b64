/**
 * One pipelined connection for reads, shared by many requests: before a query the session is told whose rows it may
 * see, unless the query before it said the same. Statements on one connection run in the order sent, so a setting
 * holds for exactly the queries behind it. A lost connection is opened anew, and the query repeated once.
 */
import pg from 'pg'
import { isConnectionLost, isSpent } from './postgres-errors.ts'
import type { Query, Values } from './query.ts'
import { type Scope, StoreUnavailable } from './store.ts'

interface SettingQuery {
  readonly name: string
  readonly text: string
  readonly values: string[]
}

/** The settings that row-level security reads, as one statement. */
export function scopeSettings(scope: Scope, transaction: boolean): SettingQuery {
  return {
    name: transaction ? 'scope_transaction' : 'scope_session',
    text: `select set_config('atrium.system', $1, ${transaction}), set_config('atrium.organization', $2, ${transaction}), set_config('atrium.realms', $3, ${transaction})`,
    values: scope === 'system' ? ['on', '', ''] : ['off', scope.organization, `{${scope.realms.join()}}`],
  }
}

function scopeKey(scope: Scope): string {
  return scope === 'system' ? scope : `${scope.organization} ${scope.realms.join()}`
}

export class PostgresSession {
  private readonly config: pg.ClientConfig
  private readonly setup: readonly string[]
  private opening: Promise<pg.Client> | null = null
  private client: pg.Client | null = null
  private scope = ''

  constructor(config: pg.ClientConfig, setup: readonly string[]) {
    this.config = config
    this.setup = setup
  }

  async rows<R>(scope: Scope, query: Query<R>, values: Values): Promise<R[]> {
    const { sql, name, bind } = query.statement('postgres')
    const bound = bind(values)
    try {
      return await this.send<R>(scope, name, sql, bound)
    } catch (error) {
      if (isSpent(error)) throw new StoreUnavailable('the database gave up', error)
      if (!isConnectionLost(error)) throw error
    }
    try {
      return await this.send<R>(scope, name, sql, bound)
    } catch (error) {
      throw isConnectionLost(error) ? new StoreUnavailable('the database cannot be reached', error) : error
    }
  }

  private async send<R>(scope: Scope, name: string | undefined, text: string, values: unknown[]): Promise<R[]> {
    const client = this.client ?? (await this.open())
    const key = scopeKey(scope)
    if (key !== this.scope) {
      this.scope = key
      client.query(scopeSettings(scope, false)).catch(() => this.drop(client))
    }
    const result = await client.query({ text, values, ...(name === undefined ? {} : { name }) })
    return result.rows as R[]
  }

  private open(): Promise<pg.Client> {
    this.opening ??= this.connect().finally(() => {
      this.opening = null
    })
    return this.opening
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.config)
    client.on('error', () => this.drop(client))
    client.on('end', () => this.drop(client))
    try {
      await client.connect()
      for (const statement of this.setup) await client.query(statement)
    } catch (error) {
      client.end().catch(() => {})
      throw new StoreUnavailable('the database cannot be reached', error)
    }
    this.scope = ''
    this.client = client
    return client
  }

  /** A connection whose scope is not certain is never used again. */
  private drop(client: pg.Client): void {
    if (this.client !== client) return
    this.client = null
    client.end().catch(() => {})
  }

  async ping(): Promise<void> {
    try {
      const client = this.client ?? (await this.open())
      await client.query('select 1')
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  async close(): Promise<void> {
    const client = this.client ?? (await this.opening?.catch(() => null))
    this.client = null
    await client?.end()
  }
}
