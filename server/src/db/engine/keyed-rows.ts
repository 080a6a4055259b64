/**
 * Rows that a transaction has read by equality (mostly by key), so that jobs of a batch that need the same row, or one
 * that was requested ahead, need no round trip of their own. Invariant: a read is answered with what the engine would
 * answer now. This holds because the transaction has the organization's lock, and each of its writes passes `note`:
 * rows that a write certainly leaves alone stay, rows that it certainly changes are changed here too, all others are
 * forgotten. Other reads of one table, such as a workspace's custom fields, are cached until the next write to it.
 */

import { db_limits } from '../limits.ts'
import { boundValue, type Statement, type Value, type Values } from '../query.ts'
import type { Columns, Effect, Lookup, Within } from './effect.ts'

type Row = Readonly<Record<string, Value>>
type Inserts = Extract<Effect, { kind: 'inserts' }>
type Changes = Extract<Effect, { kind: 'changes' }>

interface Known {
  readonly rows: Promise<readonly Row[]>
  /** The columns set in these rows since they were read. */
  since: Row | null
}

/** Rows read from one table by the same columns, keyed by the values of these columns. */
interface Group {
  readonly columns: readonly string[]
  readonly known: Map<string, Known>
}

export class KeyedRows {
  private readonly tables = new Map<string, Map<string, Group>>()
  /** Other reads by table, statement and values. */
  private readonly lists = new Map<string, Map<Statement, Map<string, Promise<readonly Row[]>>>>()
  private size = 0

  /** The answer to a read: cached, or else from `ask`. Each caller gets its own rows. */
  rows(statement: Statement, values: Values, ask: () => Promise<unknown[]>): Promise<unknown[]> {
    const { effect } = statement
    const known = this.find(effect, values, ask)
    if (known === null) {
      const isList = effect.kind === 'reads' && effect.within !== null && !isKept(effect)
      return isList ? this.list(effect.within, statement, values, ask) : ask()
    }
    // Columns set from here on are not part of this answer.
    const { since } = known
    return known.rows.then((rows) => rows.map((row) => (since === null ? { ...row } : { ...row, ...since })))
  }

  private async list(
    { table }: Within,
    statement: Statement,
    values: Values,
    ask: () => Promise<unknown[]>,
  ): Promise<unknown[]> {
    const lists = this.listsOf(table, statement)
    const key = JSON.stringify(statement.bind(values))
    let known = lists.get(key)
    if (known === undefined) {
      if (this.size >= db_limits.kept_lookups_max) return await ask()
      known = ask() as Promise<readonly Row[]>
      lists.set(key, known)
      this.size++
      const rows = await known
      // Only short lists are worth the memory. The table may have been changed, and the list read again, meanwhile.
      const isLong = rows.length > db_limits.kept_list_rows_max
      if (isLong && this.listsOf(table, statement).get(key) === known && lists.delete(key)) this.size--
    }
    return (await known).map((row) => ({ ...row }))
  }

  private listsOf(table: string, statement: Statement): Map<string, Promise<readonly Row[]>> {
    const ofTable = getOrCreate(this.lists, table, () => new Map<Statement, Map<string, Promise<readonly Row[]>>>())
    return getOrCreate(ofTable, statement, () => new Map<string, Promise<readonly Row[]>>())
  }

  private find(effect: Effect, values: Values, ask: () => Promise<unknown[]>): Known | null {
    if (!isKept(effect)) return null
    const { columns, name } = groupedBy(effect.rows)
    const key = keyIn(columns, effect.rows.where, values)
    if (key === null) return null
    const group = this.group(effect.rows.table, columns, name)
    let known = group.known.get(key)
    if (known === undefined) {
      if (this.size >= db_limits.kept_lookups_max) return null
      known = { rows: ask() as Promise<readonly Row[]>, since: null }
      known.rows.catch(() => {})
      group.known.set(key, known)
      this.size++
    }
    return known
  }

  private group(table: string, columns: readonly string[], name: string): Group {
    const groups = getOrCreate(this.tables, table, () => new Map<string, Group>())
    return getOrCreate(groups, name, () => ({ columns, known: new Map<string, Known>() }))
  }

  /** Must be called with every statement, in the order in which they are sent. */
  note(effect: Effect, values: Values): void {
    if (effect.kind === 'reads') return
    if (effect.kind === 'anything') {
      this.forget(effect.table)
      return
    }
    this.forgetLists(effect.table)
    for (const group of this.tables.get(effect.table)?.values() ?? []) {
      if (effect.kind === 'inserts') this.insert(group, effect, values)
      else this.change(group, effect, values)
    }
  }

  private insert(group: Group, { rows, conflict }: Inserts, values: Values): void {
    // A row that is replaced has the values of the new one only in the key: others may have led to it.
    if (conflict !== null && !group.columns.every((column) => conflict.key.includes(column))) this.forgetAll(group)
    else for (const row of rows) this.forgetIn(group, row, values)
  }

  private change(group: Group, { where, exact, set }: Changes, values: Values): void {
    // Rows may start or stop matching the read.
    if (set !== null && group.columns.some((column) => set.has(column))) {
      this.forgetAll(group)
      return
    }
    const key = keyIn(group.columns, where, values)
    const known = key === null ? undefined : group.known.get(key)
    if (set === null || !exact || known === undefined || where.size !== group.columns.length) {
      this.forgetIn(group, where, values)
      return
    }
    const changes: Record<string, Value> = {}
    for (const [column, value] of set) changes[column] = boundValue(value, values)
    known.since = { ...known.since, ...changes }
  }

  /** Forgets every group that may contain a row with these columns. */
  private forgetIn(group: Group, columns: Columns, values: Values): void {
    const isNarrow = group.columns.every((column) => columns.has(column))
    if (!isNarrow) {
      this.forgetAll(group)
      return
    }
    const key = keyIn(group.columns, columns, values)
    if (key !== null && group.known.delete(key)) this.size--
  }

  private forgetAll(group: Group): void {
    this.size -= group.known.size
    group.known.clear()
  }

  private forgetLists(table: string): void {
    for (const lists of this.lists.get(table)?.values() ?? []) this.size -= lists.size
    this.lists.delete(table)
  }

  private forget(table: string | null): void {
    for (const name of this.lists.keys()) if (table === null || table === name) this.forgetLists(name)
    for (const [name, groups] of this.tables) {
      if (table === null || table === name) for (const group of groups.values()) this.forgetAll(group)
    }
  }
}

interface GroupedBy {
  readonly columns: readonly string[]
  readonly name: string
}

const grouped = new WeakMap<Lookup, GroupedBy>()

/** The columns that a look-up finds rows by, kept because a statement is asked often. */
function groupedBy(lookup: Lookup): GroupedBy {
  let by = grouped.get(lookup)
  if (by === undefined) {
    const columns = [...lookup.where.keys()]
    by = { columns, name: columns.join() }
    grouped.set(lookup, by)
  }
  return by
}

function getOrCreate<Key, Of>(map: Map<Key, Of>, key: Key, create: () => Of): Of {
  let found = map.get(key)
  if (found === undefined) {
    found = create()
    map.set(key, found)
  }
  return found
}

/** Whether later changes are applied to the answer to a look-up: it must have all columns. */
function isKept(
  effect: Effect,
): effect is { readonly kind: 'reads'; readonly rows: Lookup; readonly within: Within | null } {
  return effect.kind === 'reads' && effect.rows !== null && effect.rows.selected === null
}

/** Whether the answer to a read is cached: it reads one table. */
export function isCached(effect: Effect): boolean {
  return effect.kind === 'reads' && effect.within !== null
}

/** The key of the values that the columns are compared with. */
export function keyIn(columns: readonly string[], operands: Columns, values: Values): string | null {
  return keyOf(columns, (column) => (operands.has(column) ? boundValue(operands.get(column), values) : null))
}

/** The key of the columns' values, as the engine compares them; `null` if one is NULL, which equals nothing. */
export function keyOf(columns: readonly string[], valueIn: (column: string) => Value): string | null {
  let key = ''
  for (const column of columns) {
    const compared = valueIn(column)
    if (compared === null) return null
    const text = String(compared)
    key += `${text.length} ${text}`
  }
  return key
}
