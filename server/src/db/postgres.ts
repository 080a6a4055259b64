/**
 * PostgreSQL through `pg`. Reads share a few pipelined connections, each told whose rows it may see before the query.
 * Writes of one organization queue up and share transactions (group commit); the first statement of each locks the
 * organization's audit head, so writes of one organization are serial over all processes, those of different
 * organizations run side by side. A batch that fails is rolled back whole; what may pass when repeated is repeated,
 * unseen by the caller: the idempotency record inside the transaction keeps an uncertain commit from happening twice.
 */
import pg from 'pg'
import { backOff } from '../lib/back-off.ts'
import { limits } from '../lib/limits.ts'
import { isConnectionLost, isRepeatable, isSpent } from './postgres-errors.ts'
import { PostgresSession, scopeSettings } from './postgres-session.ts'
import { PostgresTx } from './postgres-tx.ts'
import type { Query, Values } from './query.ts'
import { app_role } from './row-security.ts'
import { type Job, type Reader, type Scope, type Store, StoreUnavailable } from './store.ts'

pg.types.setTypeParser(20, Number)

interface Waiting {
  readonly scope: Scope
  readonly job: Job<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (reason: unknown) => void
}

type Settled = { readonly value: unknown } | { readonly error: unknown }

const none: Values = {}

export class PostgresStore implements Store {
  readonly dialect = 'postgres'
  private readonly pool: pg.Pool
  private readonly sessions: PostgresSession[]
  private readonly queues = new Map<string, Waiting[]>()
  private readonly running = new Set<Promise<void>>()
  private next = 0
  private waiting = 0
  private closed = false

  constructor(url: string, bypassesRowSecurity: boolean) {
    const config: pg.ClientConfig = {
      connectionString: url,
      application_name: 'atrium',
      connectionTimeoutMillis: limits.database_wait_ms,
      statement_timeout: limits.statement_ms,
      lock_timeout: limits.database_wait_ms,
      idle_in_transaction_session_timeout: limits.statement_ms,
      keepAlive: true,
      pipeline: true,
    } as pg.ClientConfig
    const setup = bypassesRowSecurity ? [`set role ${app_role}`] : []
    this.pool = new pg.Pool({ ...config, max: limits.write_connections, idleTimeoutMillis: 60_000 })
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => {
      for (const statement of setup) client.query(statement).catch(() => {})
    })
    this.sessions = Array.from({ length: limits.read_connections }, () => new PostgresSession(config, setup))
  }

  reader(scope: Scope): Reader {
    const session = this.sessions[this.next++ % this.sessions.length] as PostgresSession
    return {
      dialect: 'postgres',
      all: (query, values = none) => session.rows(scope, query, values),
      first: async (query, values = none) => (await session.rows(scope, query, values))[0],
    }
  }

  async snapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T> {
    const client = await this.connect()
    let failed: Error | undefined
    try {
      client.query('begin isolation level repeatable read read only').catch(() => {})
      client.query(scopeSettings(scope, true)).catch(() => {})
      const value = await read(new PostgresTx(client))
      await client.query('rollback')
      return value
    } catch (error) {
      failed = error as Error
      throw isConnectionLost(error) ? new StoreUnavailable('the database was lost', error) : error
    } finally {
      client.release(failed)
    }
  }

  write<T>(scope: Scope, job: Job<T>): Promise<T> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the database is closed'))
    if (this.waiting >= limits.waiting_writes_max) return Promise.reject(new StoreUnavailable('too many writes wait'))
    this.waiting++
    return new Promise<T>((resolve, reject) => {
      const key = scope === 'system' ? 'system' : scope.organization
      const queue = this.queues.get(key)
      const entry: Waiting = { scope, job, resolve, reject }
      if (queue !== undefined) {
        queue.push(entry)
        return
      }
      this.queues.set(key, [entry])
      const flushing = this.flush(key).finally(() => this.running.delete(flushing))
      this.running.add(flushing)
    })
  }

  private async flush(key: string): Promise<void> {
    const queue = this.queues.get(key) as Waiting[]
    while (queue.length > 0) {
      await new Promise(setImmediate)
      const batch = queue.splice(0, key === 'system' ? 1 : limits.batch_writes_max)
      const settled = await this.together(batch)
      this.waiting -= batch.length
      batch.forEach(({ resolve, reject }, i) => {
        const outcome = settled[i] as Settled
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value as never)
      })
    }
    this.queues.delete(key)
  }

  private async together(batch: readonly Waiting[]): Promise<Settled[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transaction(batch)
      } catch (error) {
        const repeat = isRepeatable(error) || isConnectionLost(error)
        if (batch.length > 1 && !isConnectionLost(error)) break
        if (repeat && attempt < limits.transaction_attempts_max) {
          await backOff(attempt, limits.transaction_pause_ms)
          continue
        }
        const reason = repeat || isSpent(error) ? new StoreUnavailable('the database did not commit', error) : error
        return batch.map(() => ({ error: reason }))
      }
    }
    const settled: Settled[] = []
    for (const one of batch) settled.push(...(await this.together([one])))
    return settled
  }

  private async transaction(batch: readonly Waiting[]): Promise<Settled[]> {
    const client = await this.connect()
    let broken: Error | undefined
    try {
      const begun = client.query('begin')
      const scoped = client.query(scopeSettings(widest(batch), true))
      begun.catch(() => {})
      scoped.catch(() => {})
      const settled: Settled[] = []
      const tx = new PostgresTx(client)
      const scope = (batch[0] as Waiting).scope
      // The lock on the organization's logs comes before any job's first read: what a job reads stays true.
      if (scope !== 'system') void tx.heads(scope.organization)
      for (const { job } of batch) {
        tx.dirty = false
        try {
          const value = await job(tx)
          settled.push({ value })
        } catch (error) {
          if (tx.dirty || isEngine(error)) throw error
          settled.push({ error })
        }
      }
      await begun
      await scoped
      await tx.finish()
      await client.query('commit')
      return settled
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      if (broken === undefined) client.release()
      else await this.abandon(client, broken)
    }
  }

  /** Ends a failed transaction; a connection that does not answer to that is thrown away. */
  private async abandon(client: pg.PoolClient, reason: Error): Promise<void> {
    if (isConnectionLost(reason)) return client.release(reason)
    try {
      await client.query('rollback')
      client.release()
    } catch (error) {
      client.release(error as Error)
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw new StoreUnavailable('the database cannot be reached', error)
    }
  }

  async execute(statements: readonly string[]): Promise<void> {
    await this.write('system', async (tx) => {
      for (const statement of statements) await (tx as PostgresTx).statement(statement)
    })
  }

  async ping(): Promise<void> {
    await (this.sessions[0] as PostgresSession).ping()
  }

  async close(): Promise<void> {
    this.closed = true
    while (this.running.size > 0) await Promise.all(this.running)
    await Promise.all([this.pool.end(), ...this.sessions.map((session) => session.close())])
  }
}

function isEngine(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isConnectionLost(error)
}

/** A batch holds one organization's jobs; its session sees all realms that they need. */
function widest(batch: readonly Waiting[]): Scope {
  const first = (batch[0] as Waiting).scope
  if (first === 'system') return first
  const realms = new Set<number>()
  for (const { scope } of batch) if (scope !== 'system') for (const realm of scope.realms) realms.add(realm)
  return { organization: first.organization, realms: [...realms] }
}
