/**
 * The messages of PostgreSQL's protocol that run a statement, as one buffer. Single values are sent as text, so the server
 * determines their types; columns of many rows as arrays in binary form, which the server only copies.
 */
import { type ColumnType, ColumnValues } from '../engine/value.ts'
import type { BoundIn, Value } from '../query.ts'

export interface Run {
  /** Empty if the statement is not cached. */
  readonly name: string
  /** The text to prepare; `null` if the connection already knows the name. */
  readonly sql: string | null
  readonly values: readonly BoundIn<'postgres'>[]
  /** Whether to ask for the columns of the result. */
  readonly described: boolean
}

const usual_bytes = 128 * 1024

/** Reused for every statement; a larger buffer, for a large value, is dropped afterwards. */
let bytes = Buffer.allocUnsafe(usual_bytes)
let length = 0

/**
 * Parse if needed, Bind, Describe if wanted, Execute and Sync: a transaction of its own unless one is open. Without Sync
 * it shares the transaction of the messages that follow.
 */
export function runMessages({ name, sql, values, described }: Run, isLast = true): Buffer {
  length = 0
  if (sql !== null) {
    message('P', () => {
      text(name)
      text(sql)
      int16(0)
    })
  }
  message('B', () => {
    text('')
    text(name)
    formats(values)
    int16(values.length)
    for (const each of values) value(each)
    int16(0)
  })
  if (described) {
    message('D', () => {
      letter('P')
      text('')
    })
  }
  message('E', () => {
    text('')
    int32(0)
  })
  if (isLast) message('S', () => {})
  const made = Buffer.allocUnsafe(length)
  bytes.copy(made, 0, 0, length)
  if (bytes.length > usual_bytes) bytes = Buffer.allocUnsafe(usual_bytes)
  return made
}

/** Forgets a prepared statement. Without Sync: it shares the answer of the messages that follow. */
export function closeMessage(name: string): Buffer {
  length = 0
  message('C', () => {
    letter('S')
    text(name)
  })
  return Buffer.from(bytes.subarray(0, length))
}

function message(type: string, write: () => void): void {
  letter(type)
  const from = length
  int32(0)
  write()
  bytes.writeInt32BE(length - from, from)
}

const text_format = 0
const binary_format = 1

function formats(values: Run['values']): void {
  if (!values.some((each) => each instanceof ColumnValues)) {
    int16(text_format)
    return
  }
  int16(values.length)
  for (const each of values) int16(each instanceof ColumnValues ? binary_format : text_format)
}

function value(given: BoundIn<'postgres'>): void {
  if (given === null) int32(-1)
  else if (given instanceof ColumnValues) array(given)
  else sizedCharacters(String(given))
}

function sizedCharacters(given: string): void {
  const from = length
  int32(0)
  characters(given)
  bytes.writeInt32BE(length - from - 4, from)
}

/** The numbers of types in PostgreSQL's catalogue, which never change. */
const type_numbers: Readonly<Record<ColumnType, number>> = {
  bigint: 20,
  text: 25,
  'bigint[]': 25,
  'double precision': 701,
}
const number_bytes = 8

/** An array of one dimension that begins at 1 and may contain NULL. */
function array({ type, rows, column }: ColumnValues): void {
  const from = length
  for (const each of [0, 1, 1, type_numbers[type], rows.length, 1]) int32(each)
  for (const row of rows) element(type, row[column] ?? null)
  bytes.writeInt32BE(length - from - 4, from)
}

function element(type: ColumnType, given: Value): void {
  if (given === null) int32(-1)
  else if (typeof given === 'string') sizedCharacters(given)
  else {
    int32(number_bytes)
    if (type === 'bigint') int64(given)
    else {
      room(number_bytes)
      length = bytes.writeDoubleBE(given, length)
    }
  }
}

function text(given: string): void {
  characters(given)
  room(1)
  bytes[length++] = 0
}

function characters(given: string): void {
  // A UTF-16 unit takes at most three bytes.
  room(given.length * 3)
  length += bytes.write(given, length)
}

function letter(given: string): void {
  room(1)
  bytes[length++] = given.charCodeAt(0)
}

function int16(given: number): void {
  room(2)
  length = bytes.writeUInt16BE(given, length)
}

function int32(given: number): void {
  room(4)
  length = bytes.writeInt32BE(given, length)
}

const two_32 = 2 ** 32

/** A safe integer. */
function int64(given: number): void {
  int32(Math.floor(given / two_32))
  int32(given | 0)
}

function room(needed: number): void {
  if (length + needed <= bytes.length) return
  const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, length + needed))
  bytes.copy(larger, 0, 0, length)
  bytes = larger
}
