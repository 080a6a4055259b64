/**
 * One SQLite transaction and the jobs that share it. Each job has a view of its own that ends with the job: code that a
 * job left running can write neither into other jobs' part nor outside a transaction.
 */
import { readAuditHead, readEventHeads, toHeads, writeAuditHead, writeEventHead } from '../engine/heads.ts'
import { type AnyQuery, insertQuery, type Values } from '../query.ts'
import type { Schema, TableName } from '../schema.ts'
import type { Heads, Tx } from '../store.ts'
import type { SqliteConnection } from './connection.ts'
import { asStoreError } from './errors.ts'
import { KeptRows } from './kept-rows.ts'

const none: Values = {}

export class SqliteTransaction {
  readonly connection: SqliteConnection
  private readonly opened = new Map<string, Heads>()
  private readonly kept = new KeptRows()

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  first<R>(query: AnyQuery<R>, values: Values): R | undefined {
    return this.kept.first(query, values, this.connection)
  }

  all<R>(query: AnyQuery<R>, values: Values): R[] {
    this.kept.note(query)
    return this.connection.all(query, values)
  }

  run(query: AnyQuery, values: Values): number {
    this.kept.note(query)
    return this.connection.run(query, values)
  }

  heads(organization: string): Heads {
    let heads = this.opened.get(organization)
    if (heads === undefined) {
      heads = toHeads(
        this.connection.first(readAuditHead, { organization }),
        this.connection.all(readEventHeads, { organization }),
      )
      this.opened.set(organization, heads)
    }
    return heads
  }

  closeHeads(): void {
    for (const [organization, heads] of this.opened) {
      if (!heads.changed) continue
      this.connection.run(writeAuditHead, { organization, ...heads.audit })
      for (const [realm, sequence] of heads.events) this.connection.run(writeEventHead, { realm, sequence })
    }
  }
}

export class SqliteTx implements Tx {
  readonly dialect = 'sqlite'
  dirty = false
  /** The first statement that the engine refused. PostgreSQL commits nothing after that, so neither does SQLite. */
  refused: { readonly error: unknown } | null = null
  private readonly transaction: SqliteTransaction
  private over = false

  constructor(transaction: SqliteTransaction) {
    this.transaction = transaction
  }

  all<R>(query: AnyQuery<R>, values = none): R[] {
    const transaction = this.use()
    try {
      return transaction.all(query, values)
    } catch (error) {
      throw this.failed(error)
    }
  }

  first<R>(query: AnyQuery<R>, values = none): R | undefined {
    const transaction = this.use()
    try {
      return transaction.first(query, values)
    } catch (error) {
      throw this.failed(error)
    }
  }

  write(query: AnyQuery, values = none): void {
    this.run(query, values)
  }

  run(query: AnyQuery, values = none): number {
    const transaction = this.use()
    this.dirty = true
    try {
      return transaction.run(query, values)
    } catch (error) {
      throw this.failed(error)
    }
  }

  insert<T extends TableName>(table: T, row: Schema[T]): void {
    // The columns of the row are the names that the insert binds.
    this.run(insertQuery(table, row), row as Schema[T] & Values)
  }

  heads(organization: string): Heads {
    return this.use().heads(organization)
  }

  end(): void {
    this.over = true
  }

  private use(): SqliteTransaction {
    if (this.over) throw new Error('a transaction was used after its end')
    return this.transaction
  }

  /** SQLite rolls back by itself if the disk fails; a statement after that would be a transaction of its own. */
  private failed(error: unknown): unknown {
    if (!this.transaction.connection.inTransaction) this.over = true
    this.refused ??= { error: asStoreError(error) }
    return this.refused.error
  }
}
