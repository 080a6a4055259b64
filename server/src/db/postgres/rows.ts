/** Turns rows of PostgreSQL into objects directly from the bytes of its messages. */
import { isAscii } from 'node:buffer'
import pg from 'pg'
import { type MakeRow, makerOf } from '../engine/row-maker.ts'

/** A column of a result as the server describes it. */
export interface Field {
  readonly name: string
  /** The id of its type. */
  readonly dataTypeID: number
}

/** Reads a row's message, from after its length to its end. The lengths of its cells are overwritten. */
export type ReadRow = (bytes: Buffer, from: number, to: number) => object

const int8 = 20
const int4 = 23
const text_types: ReadonlySet<number> = new Set([25, 19, 1042, 1043])
const digits_max = 15

/** The reader of rows with these columns. */
export function rowReader(fields: readonly Field[]): ReadRow {
  const make: MakeRow = makerOf(fields.map(({ name }) => name))
  const parse = fields.map(({ dataTypeID }) => parserOf(dataTypeID))
  const isInteger = fields.map(({ dataTypeID }) => dataTypeID === int8 || dataTypeID === int4)
  const values = new Array<unknown>(fields.length)
  const lengths = new Int32Array(fields.length)
  return (bytes, from, to) => {
    readLengths(bytes, from, lengths)
    // One string per row, of which the cells are parts: creating a string from bytes costs more than its length. In ASCII
    // every character is one byte.
    const row = isAscii(bytes.subarray(from, to)) ? bytes.toString('latin1', from, to) : null
    let at = from + 2
    for (let i = 0; i < values.length; i++) {
      const length = lengths[i] as number
      at += 4
      if (length === -1) {
        values[i] = null
        continue
      }
      const end = at + length
      if (isInteger[i] && length <= digits_max) values[i] = integer(bytes, at, end)
      else {
        const cell = row === null ? bytes.toString('utf8', at, end) : row.substring(at - from, end - from)
        const parseCell = parse[i]
        values[i] = parseCell === undefined || parseCell === null ? cell : parseCell(cell)
      }
      at = end
    }
    return make(values)
  }
}

/** Reads the lengths of all cells, and overwrites them with zeros, so that the bytes are ASCII if the texts are. */
function readLengths(bytes: Buffer, from: number, lengths: Int32Array): void {
  bytes.writeInt16BE(0, from)
  let at = from + 2
  for (let i = 0; i < lengths.length; i++) {
    const length = bytes.readInt32BE(at)
    lengths[i] = length
    if (length > 127 || length < 0) bytes.writeInt32BE(0, at)
    at += 4 + Math.max(length, 0)
  }
}

function parserOf(type: number): ((text: string) => unknown) | null {
  return text_types.has(type) ? null : pg.types.getTypeParser(type, 'text')
}

function integer(bytes: Buffer, from: number, to: number): number {
  const isNegative = bytes[from] === 45
  let value = 0
  for (let i = isNegative ? from + 1 : from; i < to; i++) value = value * 10 + ((bytes[i] as number) - 48)
  return isNegative ? -value : value
}
