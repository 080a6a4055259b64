/**
 * Reads that are asked together: of all that look for rows of a table by equality in the same columns one statement is
 * made, and what several look for is looked for once. Each is answered as if it had been asked alone when `send` was called,
 * and with rows of its own.
 */

import type { Lookup } from '../effect.ts'
import { keyIn, keyOf } from '../keyed-rows.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, boundValue, type Value, type Values } from '../query.ts'
import { StoreUnavailable } from '../store.ts'
import { rowsParameter, rowText, selectJoined } from './joined.ts'

type Read = (query: AnyQuery, values: Values) => Promise<unknown[]>
type Row = Readonly<Record<string, Value>>

/** A read and those who wait for it. */
class Asked {
  readonly query: AnyQuery
  readonly values: Values
  private readonly answer = Promise.withResolvers<unknown[]>()
  private isTaken = false

  constructor(query: AnyQuery, values: Values) {
    this.query = query
    this.values = values
  }

  rows(): Promise<unknown[]> {
    const rows = this.answer.promise
    if (this.isTaken) return rows.then((shared) => shared.map((row) => ({ ...(row as Row) })))
    this.isTaken = true
    return rows
  }

  resolve(rows: unknown[] | Promise<unknown[]>): void {
    this.answer.resolve(rows)
  }

  reject(error: unknown): void {
    this.answer.reject(error)
  }
}

interface Group {
  readonly lookup: Lookup
  readonly columns: readonly string[]
  readonly texts: string[]
  readonly asked: Map<string, Asked>
}

export class GatheredReads {
  private readonly groups = new Map<string, Group>()
  private readonly alone: Asked[] = []
  private readonly read: Read

  /** `read` asks the engine. */
  constructor(read: Read) {
    this.read = read
  }

  /** The answer to a read, some time after `send`. */
  add(query: AnyQuery, values: Values): Promise<unknown[]> {
    return (this.join(query, values) ?? this.takeAlone(query, values)).rows()
  }

  private join(query: AnyQuery, values: Values): Asked | null {
    const { sql, effect } = query.statement('postgres')
    if (effect.kind !== 'reads' || effect.rows === null) return null
    const { where } = effect.rows
    const group = this.group(sql, effect.rows)
    const { columns } = group
    const key = keyIn(columns, where, values)
    if (key === null) return null
    const known = group.asked.get(key)
    if (known !== undefined) return known
    const text = rowText(columns, (column) => boundValue(where.get(column), values))
    if (text === null) return null
    const asked = new Asked(query, values)
    group.texts.push(text)
    group.asked.set(key, asked)
    return asked
  }

  private group(sql: string, lookup: Lookup): Group {
    let group = this.groups.get(sql)
    if (group !== undefined && group.asked.size >= db_limits.joined_lookups_max) {
      this.sendGroup(group)
      group = undefined
    }
    if (group === undefined) {
      group = { lookup, columns: [...lookup.where.keys()], texts: [], asked: new Map() }
      this.groups.set(sql, group)
    }
    return group
  }

  private takeAlone(query: AnyQuery, values: Values): Asked {
    const asked = new Asked(query, values)
    this.alone.push(asked)
    return asked
  }

  send(): void {
    // Look-ups first: what decides about a page is then there when the page is, which is not kept waiting with all its rows.
    for (const group of this.groups.values()) this.sendGroup(group)
    for (const asked of this.alone) this.sendAlone(asked)
  }

  private sendAlone(asked: Asked): void {
    asked.resolve(this.read(asked.query, asked.values))
  }

  private sendGroup(group: Group): void {
    const [first, ...more] = group.asked.values()
    if (first !== undefined && more.length === 0) this.sendAlone(first)
    else if (first !== undefined) void this.sendJoined(group)
  }

  private async sendJoined({ lookup, columns, texts, asked }: Group): Promise<void> {
    const found = new Map<string, object[]>([...asked.keys()].map((key) => [key, []]))
    try {
      for (const row of (await this.read(selectJoined(lookup, columns), rowsParameter(texts))) as Row[]) {
        const rows = found.get(keyOf(columns, (column) => row[column] ?? null) ?? '')
        if (rows === undefined) throw new Error(`a look-up in ${lookup.table} found what was not sought`)
        rows.push(only(lookup.selected, row))
      }
    } catch (error) {
      // What is wrong with one must not be the others' fault.
      for (const each of asked.values()) {
        if (error instanceof StoreUnavailable) each.reject(error)
        else this.sendAlone(each)
      }
      return
    }
    for (const [key, each] of asked) each.resolve(found.get(key) ?? [])
  }
}

/** The columns that were asked for; those that tell whose a row is may be more. */
function only(selected: readonly string[] | null, row: Row): object {
  return selected === null ? row : Object.fromEntries(selected.map((column) => [column, row[column]]))
}
