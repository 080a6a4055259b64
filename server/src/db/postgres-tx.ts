/**
 * One PostgreSQL transaction and the jobs that share it. Writes that nobody waits for travel in the pipeline behind
 * each other, and the commit behind them: the server answers a commit after a failed statement with ROLLBACK. Each job
 * has a view of its own, which ends with the job: what a job left running behind itself writes nowhere.
 */
import type pg from 'pg'
import { notifyEvents, readAuditHead, readEventHeads, toHeads, writeAuditHead, writeEventHead } from './heads.ts'
import { isConnectionLost } from './postgres-errors.ts'
import { insertQuery, type Query, type Values } from './query.ts'
import { scopeSettings } from './row-security.ts'
import type { Schema, TableName } from './schema.ts'
import { type Heads, type Scope, StoreUnavailable, type Tx } from './store.ts'

const none: Values = {}

function ignore(): void {}

export class PostgresTransaction {
  private readonly client: pg.ClientBase
  private readonly opened = new Map<string, Promise<Heads>>()
  /** The error that spoilt the transaction first, not the complaints of the statements behind it. */
  private first: { readonly error: unknown } | null = null

  /** Begins; nothing is waited for. Without its settings, which end with it, the session would see no rows at all. */
  constructor(client: pg.ClientBase, mode: 'read committed read write' | 'repeatable read read only', scope: Scope) {
    this.client = client
    void this.send(`begin isolation level ${mode}`)
    void this.send(scopeSettings(scope, true))
  }

  get failed(): boolean {
    return this.first !== null
  }

  /** Sends a statement. Its failure is noted here, so that nobody needs to wait for it. */
  private send(statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
    const result = this.client.query(statement as pg.QueryConfig).catch((error: unknown) => {
      this.first ??= { error }
      throw this.first.error
    })
    result.catch(ignore)
    return result
  }

  ask(query: Query<unknown>, values: Values): Promise<pg.QueryResult> {
    const { sql, name, bind } = query.statement('postgres')
    return this.send({ text: sql, values: bind(values), ...(name === undefined ? {} : { name }) })
  }

  heads(organization: string): Promise<Heads> {
    let heads = this.opened.get(organization)
    if (heads === undefined) {
      const audit = this.ask(readAuditHead, { organization })
      const events = this.ask(readEventHeads, { organization })
      heads = Promise.all([audit, events]).then(([head, realms]) => toHeads(head.rows[0], realms.rows))
      heads.catch(ignore)
      this.opened.set(organization, heads)
    }
    return heads
  }

  /** Writes the changed heads and commits. Rejects with an uncertain StoreUnavailable when no answer came. */
  async commit(): Promise<void> {
    for (const [organization, opened] of this.opened) {
      const heads = await opened
      if (!heads.changed) continue
      void this.ask(writeAuditHead, { organization, ...heads.audit })
      for (const [realm, sequence] of heads.events) void this.ask(writeEventHead, { realm, sequence })
      void this.ask(notifyEvents, { realms: [...heads.events.keys()].join() })
    }
    this.requireUnfailed()
    let done: pg.QueryResult
    try {
      done = await this.client.query('commit')
    } catch (error) {
      throw isConnectionLost(error) ? new StoreUnavailable('the commit was not answered', error, true) : error
    }
    // A commit without a transaction is answered with COMMIT too: if BEGIN itself failed, nothing was promised.
    this.requireUnfailed()
    if (done.command !== 'COMMIT') throw new Error(`a commit was answered with ${done.command}`)
  }

  private requireUnfailed(): void {
    if (this.first !== null) throw this.first.error
  }

  /** Ends without a change. Rejects when the connection does not answer to that. */
  async rollBack(): Promise<void> {
    await this.client.query('rollback')
  }

  /** Rejects unless everything sent so far has succeeded. */
  async settled(): Promise<void> {
    await this.send('rollback')
    this.requireUnfailed()
  }
}

export class PostgresTx implements Tx {
  readonly dialect = 'postgres'
  dirty = false
  private readonly transaction: PostgresTransaction
  private over = false

  constructor(transaction: PostgresTransaction) {
    this.transaction = transaction
  }

  all<R>(query: Query<R>, values = none): Promise<R[]> {
    return this.answer(query, values, (result) => result.rows as R[])
  }

  first<R>(query: Query<R>, values = none): Promise<R | undefined> {
    return this.answer(query, values, (result) => result.rows[0] as R | undefined)
  }

  write(query: Query<unknown>, values = none): void {
    this.use()
    this.dirty = true
    void this.transaction.ask(query, values)
  }

  run(query: Query<unknown>, values = none): Promise<number> {
    this.dirty = true
    return this.answer(query, values, (result) => result.rowCount ?? 0)
  }

  insert<T extends TableName>(table: T, row: Schema[T]): void {
    this.write(insertQuery(table, row), row as unknown as Values)
  }

  heads(organization: string): Promise<Heads> {
    this.use()
    return this.transaction.heads(organization)
  }

  end(): void {
    this.over = true
  }

  private answer<V>(query: Query<unknown>, values: Values, read: (result: pg.QueryResult) => V): Promise<V> {
    this.use()
    const answer = this.transaction.ask(query, values).then(read)
    answer.catch(ignore)
    return answer
  }

  private use(): void {
    if (this.over) throw new Error('a transaction was used after its end')
  }
}
