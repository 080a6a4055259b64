/**
 * Where a page of tasks starts. A plain id stands for what its row says now; a token of a sorted list for what the row
 * said when the token was made, so that a row that moved since neither hides others nor repeats them (decisions §6).
 *
 * A title too long for a token is there as its beginning and a digest. While the row's title still has that digest it
 * is the position. Otherwise the page continues from the beginning itself, on its side of all titles that begin so:
 * titles with this beginning may come a second time, but none is skipped.
 */
import {
  type CutText,
  isSortedCursor,
  makeSortedCursor,
  readSortedCursor,
  type SortedValue,
  textDigest,
} from '../../api/cursor.ts'
import { refuse } from '../../api/errors.ts'
import type { ListContext } from '../../api/operation.ts'
import type { Walk } from '../../api/page.ts'
import { type Parameter, textParameter } from '../../api/parameters.ts'
import { query } from '../../db/query.ts'
import type { TaskRow } from '../../db/schema.ts'
import { limits } from '../../lib/limits.ts'
import type { PlacedRow, TaskPosition } from './queries-list.ts'
import { parseSort, type SortKey, sortText, sortValues } from './sort.ts'
import { isTaskKey, taskNoun } from './task.ts'

const findPlace = query((db, p) =>
  db.selectFrom('tasks').select(['id', 'workspace']).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

type From = Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'operation' | 'services'>

const sort_text = textParameter(
  160,
  'One or two of created, updated, due_at, completed_at, priority, title, position, with commas; - descends.',
)

/** The keys that a `sort` parameter names. Refused with 400 in its name. */
export function readSort(text: string | undefined): SortKey[] {
  if (text === undefined) return []
  const sort = parseSort(text)
  if (!sort.ok) throw refuse('invalid_query_parameter', { param: 'sort', message: sort.message })
  return sort.keys
}

/** What is no order is refused before anything is looked for, like any text that does not have the form of its parameter. */
export const sortParameter: Parameter<SortKey[]> = {
  ...sort_text,
  read: (texts, name) => readSort(sort_text.read(texts, name)),
}

/** What makes a row the cursor that a page begins behind: its id, or a token of a sorted list. */
export function cursorMaker(from: Omit<From, 'reader'>, keys: readonly SortKey[]): (row: PlacedRow) => string {
  if (keys.length === 0) return (row) => row.id
  const binding = tokenBinding(from, keys)
  return (row) => makeSortedCursor(from.services.sealer, binding, { id: row.id, values: sortValues(keys, row) })
}

/** What a sorted list's tokens are bound to. */
function tokenBinding({ operation, caller }: Pick<From, 'operation' | 'caller'>, keys: readonly SortKey[]) {
  return { operation: operation.id, realm: caller.realm, filters: { sort: sortText(keys) } }
}

/** The position as far as the cursor itself says it: an id of a list by id, so that the page need not wait for its row. */
export function plainPosition({ cursor }: Walk, keys: readonly SortKey[]): TaskPosition | null {
  if (cursor === null || keys.length > 0 || isTaskKey(cursor) || isSortedCursor(cursor)) return null
  return { id: cursor, values: [] }
}

/** The position that the cursor stands for, `null` at the start. A workspace's list takes only its own tasks' ids. */
export async function readPosition(
  from: From,
  walk: Walk,
  keys: readonly SortKey[],
  workspace: string | undefined,
): Promise<TaskPosition | null> {
  const { cursor, param } = walk
  if (cursor === null) return null
  if (isSortedCursor(cursor)) {
    const { id, values } = readSortedCursor(from.services.sealer, tokenBinding(from, keys), cursor, param)
    if (values.every(isWhole)) return { id, values }
    const row = await taskNoun.find(from.reader, from.caller, id)
    return { id, values: values.map((value, i) => wholeValue(value, row, keys[i] as SortKey, walk.backwards)) }
  }
  const { reader, caller } = from
  // Without keys the id is the position; only the row's being there and its workspace have to be looked at.
  const row =
    keys.length === 0 && !isTaskKey(cursor)
      ? await reader.first(findPlace, { realm: caller.realm, id: cursor })
      : await taskNoun.find(reader, caller, cursor)
  if (row === undefined) throw refuse('cursor_invalid', { param })
  if (workspace !== undefined && row.workspace !== workspace) throw refuse('cursor_filter_mismatch', { param })
  return { id: row.id, values: keys.length === 0 ? [] : sortValues(keys, row as TaskRow) }
}

function isWhole(value: SortedValue | CutText): value is SortedValue {
  return typeof value !== 'object' || value === null
}

/** Titles are the only texts that are sorted by. */
function wholeValue(
  value: SortedValue | CutText,
  row: TaskRow | undefined,
  key: SortKey,
  backwards: boolean,
): SortedValue {
  if (isWhole(value)) return value
  const [start, digest] = value
  if (row !== undefined && textDigest(row.title) === digest) return row.title
  return key.is_descending === backwards ? start : start + '\u{10FFFF}'.repeat(limits.title_chars_max)
}
