/**
 * One PostgreSQL transaction as jobs see it. Writes that nobody waits for travel in the pipeline behind each other;
 * `finish` waits for all of them, so a failed one always fails the transaction.
 */
import type pg from 'pg'
import { readAuditHead, readEventHeads, toHeads, writeAuditHead, writeEventHead } from './heads.ts'
import { insertQuery, type Query, type Values } from './query.ts'
import type { Schema, TableName } from './schema.ts'
import type { Heads, Tx } from './store.ts'

const none: Values = {}

export class PostgresTx implements Tx {
  readonly dialect = 'postgres'
  dirty = false
  private readonly client: pg.ClientBase
  private readonly sent: Promise<unknown>[] = []
  private readonly opened = new Map<string, Promise<Heads>>()
  private failed: { readonly error: unknown } | null = null

  constructor(client: pg.ClientBase) {
    this.client = client
  }

  private send(query: Query<unknown>, values: Values): Promise<pg.QueryResult> {
    const { sql, name, bind } = query.statement('postgres')
    return this.client.query({ text: sql, values: bind(values), ...(name === undefined ? {} : { name }) })
  }

  async all<R>(query: Query<R>, values = none): Promise<R[]> {
    const result = await this.send(query, values).catch((error) => this.fail(error))
    return result.rows as R[]
  }

  async first<R>(query: Query<R>, values = none): Promise<R | undefined> {
    return (await this.all(query, values))[0]
  }

  write(query: Query<unknown>, values = none): void {
    this.dirty = true
    this.sent.push(
      this.send(query, values).catch((error) => {
        this.failed ??= { error }
      }),
    )
  }

  async run(query: Query<unknown>, values = none): Promise<number> {
    this.dirty = true
    const result = await this.send(query, values).catch((error) => this.fail(error))
    return result.rowCount ?? 0
  }

  insert<T extends TableName>(table: T, row: Schema[T]): void {
    this.write(insertQuery(table, Object.keys(row)), row as unknown as Values)
  }

  /** Runs one statement of the operator's. */
  async statement(text: string): Promise<void> {
    this.dirty = true
    await this.client.query(text)
  }

  heads(organization: string): Promise<Heads> {
    let heads = this.opened.get(organization)
    if (heads === undefined) {
      const audit = this.first(readAuditHead, { organization })
      const events = this.all(readEventHeads, { organization })
      heads = Promise.all([audit, events]).then(([head, rows]) => toHeads(head, rows))
      heads.catch(() => {})
      this.opened.set(organization, heads)
    }
    return heads
  }

  /** The error that spoilt the transaction first, not the complaints of the statements behind it. */
  private fail(error: unknown): never {
    throw this.failed?.error ?? error
  }

  /** Writes the changed heads and waits for everything sent. */
  async finish(): Promise<void> {
    for (const [organization, opened] of this.opened) {
      const heads = await opened
      if (!heads.changed) continue
      this.write(writeAuditHead, { organization, ...heads.audit })
      for (const [realm, sequence] of heads.events) this.write(writeEventHead, { realm, sequence })
    }
    await Promise.all(this.sent)
    if (this.failed !== null) throw this.failed.error
  }
}
