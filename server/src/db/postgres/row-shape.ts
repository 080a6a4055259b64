/** Rows as parameters of one statement: a column's values are an array, which PostgreSQL reads without looking for names in a text. */
import { type ColumnType, ColumnValues, type RowValues } from '../engine/value.ts'
import type { Value } from '../query.ts'
import { columnTypes } from '../tables/column-types.ts'

/** The parameters of a statement for many rows, by `parameterOf`. */
export type Joined = Readonly<Record<`c${number}`, ColumnValues>>

/** The name of the parameter for the column with this number. */
export function parameterOf(column: number): `c${number}` {
  return `c${column}`
}

/** Columns of a table of which rows have values. */
export class RowShape {
  readonly table: string
  readonly columns: readonly string[]
  readonly types: readonly ColumnType[]

  constructor(table: string, columns: readonly string[]) {
    this.table = table
    this.columns = columns
    this.types = columnTypes(table, columns)
  }

  /** Whether arrays have a form for all values. Others are sent alone, so that PostgreSQL judges their texts. */
  fits(row: RowValues): boolean {
    return row.length === this.types.length && this.types.every((type, i) => isOf(type, row[i] ?? null))
  }

  /** The values of the parameters. */
  bind(rows: readonly RowValues[]): Joined {
    const bound: Record<`c${number}`, ColumnValues> = {}
    for (const [i, type] of this.types.entries()) bound[parameterOf(i)] = new ColumnValues(type, rows, i)
    return bound
  }
}

function isOf(type: ColumnType, value: Value): boolean {
  if (value === null) return true
  if (type === 'bigint') return Number.isSafeInteger(value)
  return type === 'double precision' ? Number.isFinite(value) : typeof value === 'string'
}

/** The characters of a row's texts: what it takes in memory, about. */
export function charsOf(row: RowValues): number {
  let chars = 0
  for (const value of row) if (typeof value === 'string') chars += value.length
  return chars
}
