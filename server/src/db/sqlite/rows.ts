/**
 * Rows of SQLite as ordinary objects. By itself `node:sqlite` looks up every column's name for every row and creates
 * objects that are slow to read; here a statement returns arrays, and a function compiled for its columns names the
 * values.
 */
import type { StatementSync } from 'node:sqlite'
import { type MakeRow, makerOf } from '../engine/row-maker.ts'

/** A statement that returns the values of a row in the order of its columns. */
interface ArrayReader {
  all(...values: readonly (string | number | null)[]): unknown[][]
  get(...values: readonly (string | number | null)[]): unknown[] | undefined
}

/** A prepared statement and how its rows are built. */
export class RowStatement {
  private readonly statement: ArrayReader & StatementSync
  private maker: MakeRow | null = null
  private width = 0
  private isRun = false

  constructor(statement: StatementSync) {
    statement.setReturnArrays(true)
    // The setting changes what the statement returns, which its type does not follow.
    this.statement = statement as ArrayReader & StatementSync
  }

  private setRun(isRun: boolean): void {
    this.isRun = isRun
    this.statement.setReadBigInts(isRun)
  }

  all(values: readonly (string | number | null)[]): object[] {
    if (this.isRun) this.setRun(false)
    const rows = this.statement.all(...values)
    return rows[0] === undefined ? [] : rows.map(this.makeFor(rows[0]))
  }

  first(values: readonly (string | number | null)[]): object | undefined {
    if (this.isRun) this.setRun(false)
    const row = this.statement.get(...values)
    return row === undefined ? undefined : this.makeFor(row)(row)
  }

  run(values: readonly (string | number | null)[]): number {
    // A run also returns the connection's last row id, which after a change of the full-text index does not fit a number.
    if (!this.isRun) this.setRun(true)
    return Number(this.statement.run(...values).changes)
  }

  /**
   * SQLite prepares a statement again by itself if the tables have changed; `select *` may then have another column.
   */
  private makeFor(row: readonly unknown[]): MakeRow {
    if (this.maker === null || row.length !== this.width) {
      this.maker = makerOf(this.statement.columns().map(({ name }) => name))
      this.width = row.length
    }
    return this.maker
  }
}
