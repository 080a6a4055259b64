/**
 * One PostgreSQL transaction and the jobs that share it. Writes whose result is not awaited are pipelined, and the
 * commit after them: the server answers a commit after a failed statement with ROLLBACK. Each job has a view of its own
 * that ends with the job, so that code a job left running writes nowhere.
 */
import type pg from 'pg'
import { notifyEvents, readAuditHead, readEventHeads, toHeads, writeAuditHead, writeEventHead } from '../heads.ts'
import { isKept, KeyedRows } from '../keyed-rows.ts'
import { type AnyQuery, insertQuery, type Values } from '../query.ts'
import { scopeSettings } from '../row-security.ts'
import type { Schema, TableName } from '../schema.ts'
import { type Heads, type Scope, StoreUnavailable, type Tx } from '../store.ts'
import { cork } from './client.ts'
import { isConnectionLost } from './errors.ts'
import { GatheredReads } from './gathered-reads.ts'
import { type Bound, type Result, run } from './statement.ts'
import { WriteBuffer } from './write-buffer.ts'

const none: Values = {}

function ignore(): void {}

export class PostgresTransaction {
  private readonly client: pg.ClientBase
  private readonly opened = new Map<string, Promise<Heads>>()
  /** The error that failed the transaction first; later statements fail because of it. */
  private first: { readonly error: unknown } | null = null
  /** Only set under the organization's lock. */
  private keyed: KeyedRows | null = null
  private buffer: WriteBuffer | null = null
  private gathered: GatheredReads | null = null

  /** Begins without waiting. Without its settings, which end with it, the session would see no rows. */
  constructor(client: pg.ClientBase, mode: 'read committed read write' | 'repeatable read read only', scope: Scope) {
    this.client = client
    void this.send({ name: `begin ${mode}`, sql: `begin isolation level ${mode}`, values: [] })
    void this.send(scopeSettings(scope, true))
  }

  get failed(): boolean {
    return this.first !== null
  }

  /**
   * Takes the organization's lock before anything is read; rows read by key are then valid until this transaction
   * changes them.
   */
  lock(organization: string): void {
    void this.heads(organization)
    this.keyed = new KeyedRows()
    this.buffer = new WriteBuffer((query, values) => void this.pass(query, values))
  }

  /** Sends the reads by key that `ask` makes as one batch. */
  gather(ask: () => void): void {
    const gathered = new GatheredReads(async (query, values) => (await this.pass(query, values)).rows)
    this.gathered = gathered
    ask()
    this.gathered = null
    gathered.send()
  }

  /** Sends a statement. A failure is recorded here, so that the result need not be awaited. */
  private send<R>(statement: Bound): Promise<Result<R>> {
    cork(this.client)
    const result = run<R>(this.client, statement).catch((error: unknown) => {
      this.first ??= { error }
      throw this.first.error
    })
    result.catch(ignore)
    return result
  }

  /** Sends a query after recording its effect. */
  private pass<R>(query: AnyQuery<R>, values: Values): Promise<Result<R>> {
    const { sql, name, bind } = query.statement('postgres')
    return this.send({ sql, values: bind(values), ...(name === undefined ? {} : { name }) })
  }

  /** Asks the engine; earlier writes are visible. */
  ask<R>(query: AnyQuery<R>, values: Values): Promise<Result<R>> {
    const { effect } = query.statement('postgres')
    this.buffer?.flushBefore(effect)
    const result = this.pass<R>(query, values)
    this.keyed?.note(effect, values)
    return result
  }

  /** Writes without waiting, and together with others if that makes no difference. */
  write(query: AnyQuery, values: Values): void {
    if (this.buffer?.add({ query, values }) !== true) void this.ask(query, values)
    else this.keyed?.note(query.statement('postgres').effect, values)
  }

  private async read(query: AnyQuery, values: Values): Promise<unknown[]> {
    return (await this.ask(query, values)).rows
  }

  async rows(query: AnyQuery, values: Values): Promise<unknown[]> {
    const ask = () => this.gathered?.add(query, values) ?? this.read(query, values)
    return this.keyed === null ? await ask() : await this.keyed.rows(query.statement('postgres'), values, ask)
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

  /** Writes the changed heads and commits. Rejects with an uncertain StoreUnavailable if no answer came. */
  async commit(): Promise<void> {
    this.buffer?.flushAll()
    for (const [organization, opened] of this.opened) {
      const heads = await opened
      if (!heads.previousValues) continue
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
    // A commit outside a transaction is also answered with COMMIT: if BEGIN itself failed, nothing is durable.
    this.requireUnfailed()
    if (done.command !== 'COMMIT') throw new Error(`a commit was answered with ${done.command}`)
  }

  private requireUnfailed(): void {
    if (this.first !== null) throw this.first.error
  }

  /** Rolls back. Rejects if the connection does not answer. */
  async rollBack(): Promise<void> {
    await this.client.query('rollback')
  }

  /** Rejects unless everything sent so far has succeeded. */
  async settled(): Promise<void> {
    this.buffer?.flushAll()
    await this.send({ sql: 'rollback', values: [] })
    this.requireUnfailed()
  }
}

export class PostgresTx implements Tx {
  readonly dialect = 'postgres'
  dirty = false
  private readonly transaction: PostgresTransaction
  private over = false

  private readonly isAhead: boolean

  /** `isAhead`: takes only reads whose answers are cached for the job. */
  constructor(transaction: PostgresTransaction, isAhead = false) {
    this.transaction = transaction
    this.isAhead = isAhead
  }

  all<R>(query: AnyQuery<R>, values = none): Promise<R[]> {
    this.use()
    if (this.isAhead && !isKept(query.statement('postgres').effect))
      throw new Error('this read is not cached, so it cannot be sent ahead')
    const rows = this.transaction.rows(query, values) as Promise<R[]>
    rows.catch(ignore)
    return rows
  }

  first<R>(query: AnyQuery<R>, values = none): Promise<R | undefined> {
    const row = this.all(query, values).then((rows) => rows[0])
    row.catch(ignore)
    return row
  }

  write(query: AnyQuery, values = none): void {
    this.use()
    this.dirty = true
    this.transaction.write(query, values)
  }

  run(query: AnyQuery, values = none): Promise<number> {
    this.use()
    this.dirty = true
    const count = this.transaction.ask(query, values).then((result) => result.count)
    count.catch(ignore)
    return count
  }

  insert<T extends TableName>(table: T, row: Schema[T]): void {
    // A row has no index signature; its columns are the names that the insert binds.
    this.write(insertQuery(table, row), row as unknown as Values)
  }

  heads(organization: string): Promise<Heads> {
    this.use()
    return this.transaction.heads(organization)
  }

  end(): void {
    this.over = true
  }

  private use(): void {
    if (this.over) throw new Error('a transaction was used after its end')
  }
}
