/** What a column holds, and a statement takes. */
export type Value = string | number | null

/** An array's value is its text, such as `{1,2}`. */
export type ColumnType = 'bigint' | 'double precision' | 'text' | 'bigint[]'

/** A row's values, in the order of the columns. */
export type RowValues = readonly Value[]

/** The values of one column of many rows: to PostgreSQL an array, so that a text is the same for any number of rows. */
export class ColumnValues {
  readonly type: ColumnType
  readonly rows: readonly RowValues[]
  readonly column: number

  constructor(type: ColumnType, rows: readonly RowValues[], column: number) {
    this.type = type
    this.rows = rows
    this.column = column
  }
}
