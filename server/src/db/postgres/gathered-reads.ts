/**
 * Reads that are requested together: all that look for rows of one table by equality in the same columns, with the same further
 * conditions, become one statement, and equal ones are looked up once. Each is answered as if it had been sent alone when `send` was called,
 * with its own rows.
 */

import type { Effect, Lookup, Within } from '../engine/effect.ts'
import { keyIn, keyOf } from '../engine/keyed-rows.ts'
import type { RowValues } from '../engine/value.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, boundValue, type Query, type Statement, type Value, type Values } from '../query.ts'
import { StoreUnavailable } from '../store.ts'
import { selectFew, selectJoined } from './joined.ts'
import { type Joined, RowShape } from './row-shape.ts'

type Read = (query: AnyQuery, values: Values) => Promise<unknown[]>
type Row = Readonly<Record<string, Value>>

/** A read, with the callers that wait for it. */
class SharedRead {
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

/** What can be read for many values together: look-ups, and a few rows in any order. */
function joinableOf(effect: Effect): Lookup | Within | null {
  if (effect.kind !== 'reads') return null
  return effect.rows ?? (effect.within !== null && effect.within.few !== null ? effect.within : null)
}

/** Of the rows of all of them, with the columns that are compared. */
function joinedQuery({ sql }: Statement, of: Lookup | Within, shape: RowShape): Query<Row, Joined> {
  if ('selected' in of) return selectJoined(of.selected, shape)
  if (of.few === null) throw new Error('only reads of a few rows are joined')
  return selectFew(sql, of.few, of.where, shape)
}

/** Reads that become one statement. */
interface Group {
  readonly statement: Statement
  readonly of: Lookup | Within
  readonly shape: RowShape
  readonly rows: RowValues[]
  readonly reads: Map<string, SharedRead>
}

export class GatheredReads {
  private readonly groups = new Map<string, Group>()
  private readonly alone: SharedRead[] = []
  private readonly read: Read
  private readonly joins: (query: AnyQuery) => boolean

  /** `read` asks the engine. Different look-ups become one statement only where `joins` says so: Citus sends each to one shard. */
  constructor(read: Read, joins: (query: AnyQuery) => boolean = () => true) {
    this.read = read
    this.joins = joins
  }

  /** The answer to a read, some time after `send`. */
  add(query: AnyQuery, values: Values): Promise<unknown[]> {
    return (this.join(query, values) ?? this.takeAlone(query, values)).rows()
  }

  private join(query: AnyQuery, values: Values): SharedRead | null {
    const statement = query.statement('postgres')
    const joinable = joinableOf(statement.effect)
    if (joinable === null) return null
    const { where } = joinable
    const group = this.group(statement, joinable)
    const { columns } = group.shape
    const key = keyIn(columns, where, values)
    if (key === null) return null
    const known = group.reads.get(key)
    if (known !== undefined) return known
    const row = columns.map((column) => boundValue(where.get(column), values))
    if (!group.shape.fits(row)) return null
    const read = new SharedRead(query, values)
    group.rows.push(row)
    group.reads.set(key, read)
    return read
  }

  private group(statement: Statement, of: Lookup | Within): Group {
    let group = this.groups.get(statement.sql)
    if (group !== undefined && group.reads.size >= db_limits.joined_lookups_max) {
      this.sendGroup(group)
      group = undefined
    }
    if (group === undefined) {
      group = { statement, of, shape: new RowShape(of.table, [...of.where.keys()]), rows: [], reads: new Map() }
      this.groups.set(statement.sql, group)
    }
    return group
  }

  private takeAlone(query: AnyQuery, values: Values): SharedRead {
    const read = new SharedRead(query, values)
    this.alone.push(read)
    return read
  }

  send(): void {
    // Look-ups first: they decide about a page's rows, and the page, with all its rows, need not wait for them.
    for (const group of this.groups.values()) this.sendGroup(group)
    for (const read of this.alone) this.sendAlone(read)
  }

  private sendAlone(read: SharedRead): void {
    read.resolve(this.read(read.query, read.values))
  }

  private sendGroup(group: Group): void {
    const [first, ...more] = group.reads.values()
    if (first === undefined) return
    if (more.length > 0 && this.joins(first.query)) void this.sendJoined(group)
    else for (const each of group.reads.values()) this.sendAlone(each)
  }

  private async sendJoined({ statement, of, shape, rows: sought, reads }: Group): Promise<void> {
    const query = joinedQuery(statement, of, shape)
    const selected = 'selected' in of ? of.selected : null
    const found = new Map<string, object[]>([...reads.keys()].map((key) => [key, []]))
    try {
      for (const row of (await this.read(query, shape.bind(sought))) as Row[]) {
        const rows = found.get(keyOf(shape.columns, (column) => row[column] ?? null) ?? '')
        if (rows === undefined) throw new Error(`a look-up in ${of.table} found a row that was not requested`)
        rows.push(pick(selected, row))
      }
    } catch (error) {
      // A fault of one read must not fail the others.
      for (const each of reads.values()) {
        if (error instanceof StoreUnavailable) each.reject(error)
        else this.sendAlone(each)
      }
      return
    }
    for (const [key, each] of reads) each.resolve(found.get(key) ?? [])
  }
}

/** The requested columns; the row may also have those that identify it. */
function pick(selected: readonly string[] | null, row: Row): object {
  return selected === null ? row : Object.fromEntries(selected.map((column) => [column, row[column]]))
}
