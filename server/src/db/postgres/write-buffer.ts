/**
 * Buffers writes of a transaction whose result is not awaited, so that those of many jobs leave together: inserts into
 * a table as one statement, and of a counter that every job sets only its last value. Invariant: the engine finds what
 * it would have found if each had been sent at once, because every statement passes `flushBefore` first. A write that the
 * engine refuses fails the transaction as it would have, only later.
 */

import type { Effect } from '../effect.ts'
import { keyIn } from '../keyed-rows.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, boundValue, type Values } from '../query.ts'
import { insertJoined, rowsParameter, rowText } from './joined.ts'

type Inserts = Extract<Effect, { kind: 'inserts' }>
type Changes = Extract<Effect, { kind: 'changes' }>
type Send = (query: AnyQuery, values: Values) => void

interface Write {
  readonly query: AnyQuery
  readonly values: Values
}

/** What is buffered for a table: rows with the same columns, or the values of a counter by its row. */
type BufferedWrites =
  | { readonly columns: readonly string[]; readonly writes: Write[]; readonly texts: string[]; chars: number }
  | { readonly query: AnyQuery; readonly last: Map<string, Write> }

export class WriteBuffer {
  private readonly tables = new Map<string, BufferedWrites>()
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

  private addRows(write: Write, { table, rows, columns }: Inserts): boolean {
    const texts: string[] = []
    for (const row of rows) {
      const text = rowText(columns, (column) => boundValue(row.get(column), write.values))
      if (text === null) return false
      texts.push(text)
    }
    let buffered = this.tables.get(table)
    if (buffered === undefined || !('columns' in buffered) || !isSame(buffered.columns, columns)) {
      this.flush(table)
      buffered = { columns, writes: [], texts: [], chars: 0 }
      this.tables.set(table, buffered)
    }
    buffered.writes.push(write)
    for (const text of texts) {
      buffered.texts.push(text)
      buffered.chars += text.length
    }
    if (buffered.chars > db_limits.write_buffer_chars_max) this.flush(table)
    return true
  }

  private addCounter(write: Write, { table, where }: Changes): boolean {
    const key = keyIn([...where.keys()], where, write.values)
    if (key === null) return false
    let buffered = this.tables.get(table)
    if (buffered === undefined || !('last' in buffered) || buffered.query !== write.query) {
      this.flush(table)
      buffered = { query: write.query, last: new Map() }
      this.tables.set(table, buffered)
    }
    buffered.last.set(key, write)
    return true
  }

  /** Sends what must be there before a statement with this effect. */
  flushBefore(effect: Effect): void {
    if (this.tables.size === 0) return
    const table = effect.kind === 'reads' ? (effect.rows?.table ?? null) : effect.table
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
    const writes = 'columns' in buffered ? buffered.writes : [...buffered.last.values()]
    if (this.joins && 'columns' in buffered && writes.length > 1) {
      this.send(insertJoined(table, buffered.columns), rowsParameter(buffered.texts))
      return
    }
    for (const { query, values } of writes) this.send(query, values)
  }
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
