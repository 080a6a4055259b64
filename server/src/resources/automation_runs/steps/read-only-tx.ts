/** A transaction that reads but discards writes, for runs in shadow mode. */
import type { AnyQuery, MaybePromise } from '../../../db/query.ts'
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

  all<R>(query: AnyQuery<R>, values?: unknown): MaybePromise<R[]> {
    // The interface has checked the values against the query.
    return this.tx.all(query, values as never)
  }

  first<R>(query: AnyQuery<R>, values?: unknown): MaybePromise<R | undefined> {
    // As above.
    return this.tx.first(query, values as never)
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
