/**
 * Buffers writes of a transaction whose result is not awaited, so that those of many jobs leave together: inserts into
 * a table as one statement, and counters that every job sets too, each with its last value. Invariant: the engine finds what
 * it would have found if each had been sent at once, because every statement passes `flushBefore` first. A write that the
 * engine refuses fails the transaction as it would have, only later.
 */

import type { Columns, Conflict, Effect } from '../engine/effect.ts'
import { keyIn } from '../engine/keyed-rows.ts'
import type { RowValues } from '../engine/value.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, boundValue, type Values } from '../query.ts'
import { insertJoined, updateJoined } from './joined.ts'
import { charsOf, RowShape } from './row-shape.ts'

type Inserts = Extract<Effect, { kind: 'inserts' }>
type Changes = Extract<Effect, { kind: 'changes' }>
type Send = (query: AnyQuery, values: Values) => void

interface Write {
  readonly query: AnyQuery
  readonly values: Values
}

/** Rows to insert into a table, with the same columns. */
interface BufferedRows {
  readonly shape: RowShape
  readonly conflict: Conflict | null
  /** The keys of rows that are updated if they are there: one statement cannot update a row twice. */
  readonly keys: Set<string>
  readonly writes: Write[]
  readonly rows: RowValues[]
  chars: number
}

/** The last values of a counter, by the rows' keys. */
interface BufferedCounters {
  readonly query: AnyQuery
  /** The columns of the key, and the counter. */
  readonly shape: RowShape
  readonly last: Map<string, Write & { readonly row: RowValues }>
}

export class WriteBuffer {
  private readonly tables = new Map<string, BufferedRows | BufferedCounters>()
  private readonly send: Send
  private readonly joins: boolean

  /** Without `joins`, each row is inserted by its own statement: Citus sends it to one shard. */
  constructor(send: Send, joins: boolean) {
    this.send = send
    this.joins = joins
  }

  /** Whether the write is buffered. Otherwise it must be sent, after `flushBefore`. */
  add(write: Write): boolean {
    const { effect } = write.query.statement('postgres')
    if (effect.kind === 'inserts') return this.addRows(write, effect)
    return effect.kind === 'changes' && isCounter(effect, write.values) && this.addCounter(write, effect)
  }

  private addRows(write: Write, { table, rows, columns, conflict }: Inserts): boolean {
    const added = rows.map((row) => columns.map((column) => boundValue(row.get(column), write.values)))
    const keys = conflict === null ? [] : keysOf(conflict.key, rows, write.values)
    if (keys === null) return false
    const buffered = this.rowsOf(table, columns, conflict, keys)
    if (!added.every((row) => buffered.shape.fits(row))) return false
    buffered.writes.push(write)
    for (const key of keys) buffered.keys.add(key)
    for (const row of added) {
      buffered.rows.push(row)
      buffered.chars += charsOf(row)
    }
    if (buffered.chars > db_limits.write_buffer_chars_max) this.flush(table)
    return true
  }

  /** The buffered rows that these may join: of the same columns, and none with one of these keys. */
  private rowsOf(
    table: string,
    columns: readonly string[],
    conflict: Conflict | null,
    keys: readonly string[],
  ): BufferedRows {
    const known = this.tables.get(table)
    if (known !== undefined && isRows(known)) {
      const isAlike =
        isSame(known.shape.columns, columns) && JSON.stringify(known.conflict) === JSON.stringify(conflict)
      if (isAlike && !keys.some((key) => known.keys.has(key))) return known
    }
    this.flush(table)
    const shape = new RowShape(table, columns)
    const buffered = { shape, conflict, keys: new Set<string>(), writes: [], rows: [], chars: 0 }
    this.tables.set(table, buffered)
    return buffered
  }

  private addCounter(write: Write, { table, where, set }: Changes): boolean {
    const columns = [...where.keys()]
    const key = keyIn(columns, where, write.values)
    if (key === null || set === null) return false
    let buffered = this.tables.get(table)
    if (buffered === undefined || isRows(buffered) || buffered.query !== write.query) {
      this.flush(table)
      buffered = { query: write.query, shape: new RowShape(table, [...columns, ...set.keys()]), last: new Map() }
      this.tables.set(table, buffered)
    }
    const row = [...where.values(), ...set.values()].map((operand) => boundValue(operand, write.values))
    if (!buffered.shape.fits(row)) return false
    buffered.last.set(key, { ...write, row })
    return true
  }

  /** Sends what must be there before a statement with this effect. */
  flushBefore(effect: Effect): void {
    if (this.tables.size === 0) return
    const table = effect.kind === 'reads' ? (effect.within?.table ?? null) : effect.table
    if (table === null) this.flushAll()
    else this.flush(table)
  }

  flushAll(): void {
    for (const table of [...this.tables.keys()]) this.flush(table)
  }

  private flush(table: string): void {
    const buffered = this.tables.get(table)
    if (buffered === undefined) return
    this.tables.delete(table)
    const writes = isRows(buffered) ? buffered.writes : [...buffered.last.values()]
    // The first one did not fit.
    if (writes.length === 0) return
    const { shape } = buffered
    if (!this.joins || writes.length === 1) for (const { query, values } of writes) this.send(query, values)
    else if (isRows(buffered)) this.send(insertJoined(shape, buffered.conflict), shape.bind(buffered.rows))
    else {
      const rows = [...buffered.last.values()].map(({ row }) => row)
      // All but the last column are the key.
      this.send(updateJoined(shape, shape.columns.length - 1), shape.bind(rows))
    }
  }
}

function isRows(buffered: BufferedRows | BufferedCounters): buffered is BufferedRows {
  return 'rows' in buffered
}

/** The rows' keys; null if two are the same, or a part of one is NULL. */
function keysOf(columns: readonly string[], rows: readonly Columns[], values: Values): string[] | null {
  const keys = rows.map((row) => keyIn(columns, row, values))
  return keys.every((key) => key !== null) && new Set(keys).size === keys.length ? keys : null
}

/**
 * Whether it sets a single number in rows that are found by equality, without changing which rows are found. Earlier
 * values are not read, and cannot be: the tables' constraints hold for the last one.
 */
function isCounter({ exact, set, where }: Changes, values: Values): boolean {
  if (!exact || set === null || set.size !== 1) return false
  const [[column, value]] = [...set] as [[string, unknown]]
  return !where.has(column) && Number.isFinite(boundValue(value, values))
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, i) => one === others[i])
}
