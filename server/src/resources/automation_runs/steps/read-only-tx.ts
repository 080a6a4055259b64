/** A transaction that reads but discards writes, for runs in shadow mode. */
import type { MaybePromise, Query, Values } from '../../../db/query.ts'
import type { Heads, Tx } from '../../../db/store.ts'

export class ReadOnlyTx implements Tx {
  readonly dirty = false
  private readonly tx: Tx

  constructor(tx: Tx) {
    this.tx = tx
  }

  get dialect(): Tx['dialect'] {
    return this.tx.dialect
  }

  all<R, V extends Values>(query: Query<R, V>, values?: V): MaybePromise<R[]> {
    // Only a query without parameters is called without values.
    return this.tx.all(query, values ?? ({} as V))
  }

  first<R, V extends Values>(query: Query<R, V>, values?: V): MaybePromise<R | undefined> {
    // As above.
    return this.tx.first(query, values ?? ({} as V))
  }

  write(): void {}

  /** Reports one changed row, as if the write had found it. */
  run(): number {
    return 1
  }

  insert(): void {}

  heads(organization: string): MaybePromise<Heads> {
    return this.tx.heads(organization)
  }
}
