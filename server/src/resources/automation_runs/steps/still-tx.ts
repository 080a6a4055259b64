/** A transaction that lets everything be read and nothing be written: what a flow in shadow mode acts on. */
import type { MaybePromise, Query, Values } from '../../../db/query.ts'
import type { Heads, Tx } from '../../../db/store.ts'

export class StillTx implements Tx {
  readonly dirty = false
  private readonly tx: Tx

  constructor(tx: Tx) {
    this.tx = tx
  }

  get dialect(): Tx['dialect'] {
    return this.tx.dialect
  }

  all<R>(query: Query<R>, values?: Values): MaybePromise<R[]> {
    return this.tx.all(query, values)
  }

  first<R>(query: Query<R>, values?: Values): MaybePromise<R | undefined> {
    return this.tx.first(query, values)
  }

  write(): void {}

  /** As if the one row that is meant were there. */
  run(): number {
    return 1
  }

  insert(): void {}

  heads(organization: string): MaybePromise<Heads> {
    return this.tx.heads(organization)
  }
}
