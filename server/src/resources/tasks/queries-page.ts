/**
 * Reading a page or a count of tasks in a time that does not grow with the tasks, as far as an index can lead to them.
 * Walking along the order soon fills a page unless a condition refuses nearly all. Then the conditions that have an index
 * are tried: does one lead to few tasks? Those are read, tested and sorted. Otherwise each lets many pass, and the walk
 * goes on. By two keys, the tasks that are level in the first are a list of their own by the second.
 * Invariant: the answer is that of `pageQuery` and `countQuery`, whichever way was taken.
 */
import { sql } from 'kysely'
import { readBy } from '../../db/dialect.ts'
import { shapedQuery } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { isById, type Narrowing, narrowingsOf } from './narrow.ts'
import { type Along, countAlong, Found, isSliced, readAlong } from './queries-along.ts'
import {
  countQuery,
  pageQuery,
  type Shown,
  shownAsRows,
  shownAsTexts,
  type TaskPosition,
  type TaskQuestion,
  type TaskWalk,
} from './queries-list.ts'
import { segmentsOf } from './segments.ts'
import { compareRows, type SortKey, type SortValue, sortColumn } from './sort.ts'
import type { ShownTaskRow } from './task.ts'
import type { TaskTextRow } from './task-text.ts'

/** How lists are read; what is left out is as in `limits`. */
export interface Manner {
  /** No other work of the process may come between: inside of a transaction. */
  readonly at_once?: boolean
  /** So many tasks are read and sorted rather than others passed over. */
  readonly few_max?: number
  /** The first slice of a walk. */
  readonly slice_min?: number
}

/** Who asks, and how. */
interface Asking {
  readonly reader: Reader
  readonly realm: number
  readonly shown: Shown
  readonly manner: Required<Manner>
}

/** A page of tasks; one row more than a page shows tells whether there are more. */
export async function readTasks(
  reader: Reader,
  realm: number,
  question: TaskQuestion,
  walk: TaskWalk,
  manner: Manner = {},
): Promise<ShownTaskRow[]> {
  const { rows } = await read(asking(reader, realm, shownAsRows, manner), question, walk)
  return rows as ShownTaskRow[]
}

/** The same page, each task as SQLite spells it: a third of the time goes into columns otherwise. */
export async function readTaskTexts(
  reader: Reader,
  realm: number,
  question: TaskQuestion,
  walk: TaskWalk,
): Promise<TaskTextRow[]> {
  const { rows } = await read(asking(reader, realm, shownAsTexts(walk.keys), {}), question, walk)
  return rows as TaskTextRow[]
}

/** How many tasks there are. */
export async function countTasks(
  reader: Reader,
  realm: number,
  question: TaskQuestion,
  manner: Manner = {},
): Promise<number> {
  const by = asking(reader, realm, shownAsRows, manner)
  const { narrowings, along } = waysOf(by, question, null)
  const few = await firstFew(by, narrowings)
  const walks = few === null && (reader.dialect === 'sqlite' || along.by !== null)
  if (walks) return await countAlong(reader, { ...along, whole: false })
  const asked = countQuery(realm, question, few ?? undefined)
  return (await reader.first(asked.query, asked.values))?.count ?? 0
}

function asking(reader: Reader, realm: number, shown: Shown, manner: Manner): Asking {
  const { at_once = false, few_max = limits.list_few_max, slice_min = limits.list_slice_min } = manner
  return { reader, realm, shown, manner: { at_once, few_max, slice_min } }
}

async function read(by: Asking, question: TaskQuestion, walk: TaskWalk): Promise<Found> {
  const { keys, backwards, position, count } = walk
  const [key = null, second] = keys
  const { narrowings, along } = waysOf(by, question, key)
  const found = new Found()
  const readFew = async (few: Narrowing) => {
    const asked = pageQuery(by.realm, question, walk, by.shown, few)
    found.clear()
    found.add(await by.reader.all(asked.query, asked.values), count)
    return true
  }
  const isFew = async () => {
    const few = await firstFew(by, narrowings)
    return few !== null && (await readFew(few))
  }
  if (key !== null && second !== undefined) {
    if (!(await isFew())) await readByTwo(found, by, along, walk, [key, second])
    return found
  }
  const place = position === null ? null : { value: position.values[0] ?? null, id: position.id }
  const segments = segmentsOf(key, backwards, place)
  // Most pages are full after a slice.
  if (isSliced(by.reader, along)) await readAlong(by.reader, along, segments, found, count, isFew)
  else if (!(await isFew())) await readAlong(by.reader, along, segments, found, count)
  return found
}

/** The ways to the tasks: by a condition that may lead to few of them, and along an order. */
interface Ways {
  readonly narrowings: readonly Narrowing[]
  readonly along: Along
}

function waysOf({ reader, realm, shown, manner }: Asking, question: TaskQuestion, key: SortKey | null): Ways {
  const narrowings = narrowingsOf(question)
  const inOrder = key === null ? (narrowings.find(isById) ?? null) : null
  const column = key === null ? null : sortColumn(key)
  const bounds = narrowings.find(({ on }) => on === column) ?? null
  const whole = question.filter === undefined && narrowings.length === (inOrder === null ? 0 : 1)
  // Only to the terms PostgreSQL must be led.
  const led = reader.dialect === 'sqlite' || inOrder?.table === 'task_terms' ? inOrder : null
  const along: Along = { realm, question, shown, by: led, bounds, whole, ...manner }
  // Alone and in the order asked for, it is walked along however much it leads to.
  return { narrowings: narrowings.length === 1 && inOrder !== null ? [] : narrowings, along }
}

async function firstFew(by: Asking, narrowings: readonly Narrowing[]): Promise<Narrowing | null> {
  if (by.reader.dialect === 'postgres') {
    // It knows how often a column has a value. Not so with terms; and where a range lies in the order (overdue tasks are
    // old ones) it does not know either.
    const unknown = narrowings.filter((narrowing) => narrowing.table === 'task_terms' || !isById(narrowing))
    const isFew = await Promise.all(unknown.map((narrowing) => leadsToFew(by, narrowing)))
    return unknown.find((_, i) => isFew[i]) ?? null
  }
  for (const narrowing of narrowings) if (await leadsToFew(by, narrowing)) return narrowing
  return null
}

async function leadsToFew({ reader, realm, manner }: Asking, narrowing: Narrowing): Promise<boolean> {
  const { table, index, order, shape, values } = narrowing
  const query = shapedQuery<{ found: number }>(`tasks few ${table} ${shape}`, (db, bind, dialect) => {
    const ref = (column: string) => sql.ref(`${table}.${column}`)
    const from = index === null ? sql.table(table) : readBy(dialect, sql.table(table), index)
    const where = sql`${ref('realm')} = ${bind('realm')} and ${narrowing.sql(ref, bind, dialect, table)}`
    // The order is the index's own; without it PostgreSQL may go through the table.
    const ordered = order === null ? sql`` : sql`order by ${ref(order)}`
    const text = sql`select 1 as found from ${from} where ${where} ${ordered} limit 1 offset ${bind('few_max')}`
    return { compile: () => text.compile(db) } as never
  })
  return (await reader.first(query, { realm, ...values, few_max: manner.few_max })) === undefined
}

/**
 * By two keys: a page by the first alone tells which values it spans. The tasks of all of them but the last are there and
 * need only be put in order; those of the last, and of the one that the position is in, are read by the second key.
 */
async function readByTwo(
  found: Found,
  by: Asking,
  along: Along,
  { backwards, position, count }: TaskWalk,
  [key, second]: readonly [SortKey, SortKey],
): Promise<void> {
  const column = sortColumn(key)
  const readLevel = async (value: SortValue, behind: TaskPosition | null) => {
    const level = { ...along.question, level: { column, value } }
    found.add((await read(by, level, { keys: [second], backwards, position: behind, count })).rows, count)
  }
  let segments = segmentsOf(key, backwards, null)
  if (position !== null) {
    const [value = null, ...values] = position.values
    await readLevel(value, { id: position.id, values })
    segments = segmentsOf(key, backwards, { value })
  }
  while (found.size < count) {
    const page = new Found()
    await readAlong(by.reader, along, segments, page, count)
    const { rows } = page
    const value = rows.at(-1)?.[column]
    if (value === undefined) return
    const isAll = rows.length < count
    const complete = isAll ? rows : rows.filter((row) => row[column] !== value)
    found.add(complete.sort(compareRows([key, second], backwards)), count)
    if (isAll) return
    await readLevel(value, null)
    segments = segmentsOf(key, backwards, { value })
  }
}
