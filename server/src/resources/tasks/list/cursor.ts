/**
 * Cursors of task lists (contract/06#sort-cursors). A plain id stands for the row's current values; a sorted list's token
 * holds the values from when it was made, so a row that moved since neither hides nor repeats others.
 *
 * A title too long for a token is stored as its start and a digest. While the row's title matches the digest, it is the
 * position. Otherwise the page continues before all titles with that start: some may repeat, none is skipped.
 */

import { refuse } from '../../../api/declare/errors.ts'
import type { ListContext } from '../../../api/declare/operation.ts'
import { type Parameter, textParameter } from '../../../api/declare/parameters.ts'
import { limits } from '../../../api/limits.ts'
import {
  type CutText,
  isSortedCursor,
  makeSortedCursor,
  readSortedCursor,
  type SortedValue,
  textDigest,
} from '../../../api/request/cursor.ts'
import type { PageRequest } from '../../../api/request/page.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { isTaskKey, taskNoun } from '../task.ts'
import type { SortableRow, TaskPosition } from './queries.ts'
import { type AnySortKey, parseSort, type SortKey, type SortValue, sortText, sortValues } from './sort.ts'

const findCursorRow = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('tasks').select(['id', 'workspace']).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

type CursorContext = Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'operation' | 'services'>

const sort_text = textParameter(
  160,
  'One or two of created, updated, start_at, due_at, completed_at, priority, title, position and `custom_fields.<key>` of a defined custom field, separated by a comma. Prefix a field with - to sort descending.',
)

/** Parses `sort`; refuses a wrong one with 400. */
export function readSort(text: string | undefined): AnySortKey[] {
  if (text === undefined) return []
  const sort = parseSort(text)
  if (!sort.ok) throw refuse('invalid_query_parameter', { param: 'sort', message: sort.message })
  return sort.keys
}

/** A wrong `sort` is refused with the other parameters, before anything is read. */
export const sortParameter: Parameter<AnySortKey[]> = {
  ...sort_text,
  read: (texts, name) => readSort(sort_text.read(texts, name)),
}

/** Creates the cursor after a row: its id, or a sorted list's token. */
export function cursorMaker(
  from: Omit<CursorContext, 'reader'>,
  keys: readonly SortKey[],
): (row: SortableRow) => string {
  if (keys.length === 0) return (row) => row.id
  const cursorOf = positionCursorMaker(from, keys)
  return (row) => cursorOf({ id: row.id, values: sortValues(keys, row) })
}

/** Creates the token of a position in a sorted list. */
export function positionCursorMaker(
  from: Omit<CursorContext, 'reader'>,
  keys: readonly AnySortKey[],
): (position: TaskPosition) => string {
  const binding = tokenBinding(from, keys)
  return (position) => makeSortedCursor(from.services.sealer, binding, position)
}

/** Tokens are valid for this operation, realm and order. */
function tokenBinding({ operation, caller }: Pick<CursorContext, 'operation' | 'caller'>, keys: readonly AnySortKey[]) {
  return { operation: operation.id, realm: caller.realm, filters: { sort: sortText(keys) } }
}

/** The position of a plain id in a list by id, which needs no row, so that the page can be read at once. */
export function plainPosition({ cursor }: PageRequest, keys: readonly SortKey[]): TaskPosition | null {
  if (cursor === null || keys.length > 0 || isTaskKey(cursor) || isSortedCursor(cursor)) return null
  return { id: cursor, values: [] }
}

/**
 * The position of the cursor; null at the start. Refuses the id of another workspace's task. `valuesOf` gives a row's
 * values in the order.
 */
export async function readPosition(
  from: CursorContext,
  request: PageRequest,
  keys: readonly AnySortKey[],
  workspace: string | undefined,
  valuesOf: (row: TaskRow) => readonly SortValue[],
): Promise<TaskPosition | null> {
  const { cursor, param } = request
  if (cursor === null) return null
  if (isSortedCursor(cursor)) {
    const { id, values } = readSortedCursor(from.services.sealer, tokenBinding(from, keys), cursor, param)
    if (values.every(isWhole)) return { id, values }
    const row = await taskNoun.find(from.reader, from.caller, id)
    const now = row === undefined ? [] : valuesOf(row)
    const isUpwards = (i: number) => keys[i]?.is_descending === request.backwards
    return { id, values: values.map((value, i) => restoreValue(value, now[i], isUpwards(i))) }
  }
  const { reader, caller } = from
  // Without keys the id is the position; only existence and workspace are checked, and of a guest the project.
  const row =
    keys.length === 0 && !isTaskKey(cursor) && caller.guest === null
      ? await reader.first(findCursorRow, { realm: caller.realm, id: cursor })
      : await taskNoun.find(reader, caller, cursor)
  if (row === undefined) throw refuse('cursor_invalid', { param })
  if (workspace !== undefined && row.workspace !== workspace) throw refuse('cursor_filter_mismatch', { param })
  return { id: row.id, values: keys.length === 0 ? [] : valuesOf(row as TaskRow) }
}

function isWhole(value: SortedValue | CutText): value is SortedValue {
  return typeof value !== 'object' || value === null
}

/** Restores a cut text: the row's value if it is still the same, otherwise the start of all texts that begin like it. */
function restoreValue(value: SortedValue | CutText, current: SortValue | undefined, isUpwards: boolean): SortedValue {
  if (isWhole(value)) return value
  const [start, digest] = value
  if (typeof current === 'string' && textDigest(current) === digest) return current
  return isUpwards ? start : start + '\u{10FFFF}'.repeat(limits.title_chars_max)
}
