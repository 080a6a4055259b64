/**
 * The number of tasks in a list and the cursors of its pages. The API pages forward only; the console's scrollbar needs
 * random access, so this endpoint lists the cursors up front.
 */
import { textParameter } from '../../../api/declare/parameters.ts'
import { limits } from '../../../api/limits.ts'
import { db_limits } from '../../../db/limits.ts'
import type { Reader } from '../../../db/store.ts'
import { Slices } from '../../../lib/turns.ts'
import { countCached } from '../../../resources/tasks/count.ts'
import { cursorMaker, positionCursorMaker, readSort } from '../../../resources/tasks/list/cursor.ts'
import { fieldOrder, readPositions } from '../../../resources/tasks/list/field-order.ts'
import { criteriaParameters, readCriteria } from '../../../resources/tasks/list/parameters.ts'
import type { TaskCriteria, TaskPosition } from '../../../resources/tasks/list/queries.ts'
import { readTasks } from '../../../resources/tasks/list/read.ts'
import { type AnySortKey, isColumnKey, type SortKey, sortValues } from '../../../resources/tasks/list/sort.ts'
import { listTasks } from '../../../resources/tasks/list.ts'
import type { ShownTaskRow } from '../../../resources/tasks/task.ts'
import { endpoint } from '../../endpoint.ts'
import { modeParameter } from '../../fields.ts'
import { console_limits } from '../../limits.ts'
import { callerOfSession } from '../../sessions/session.ts'

/** Counts the tasks of a list; the count may be up to a minute old. */
export const countTasks = endpoint('GET tasks/count', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter, filter: criteriaParameters.filter },
  async handle({ services, session, query, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { count } = await countCached({ reader, caller, services, now }, { filter: query.filter })
    return { count }
  },
})

/**
 * Lists the cursors after which the second page begins, the third, and so on. Stops after `console_limits.console_places_max`
 * pages, or when the statement's time runs out.
 */
export const listPageCursors = endpoint('GET tasks/places', {
  needs: 'session',
  guests: true,
  query: {
    mode: modeParameter,
    filter: criteriaParameters.filter,
    sort: textParameter(160, 'the sort order, as in a list of tasks'),
  },
  async handle({ services, session, query, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const keys = readSort(query.sort)
    const { criteria } = await readCriteria({ reader, caller, now }, { filter: query.filter })
    const from = { operation: listTasks, caller, services }
    const places = keys.every(isColumnKey)
      ? await cursorsByColumns(reader, criteria, keys, from)
      : await cursorsByFields(reader, criteria, keys, from)
    return { page: limits.page_limit_max, places }
  },
})

type CursorSource = Parameters<typeof cursorMaker>[0]

async function cursorsByColumns(
  reader: Reader,
  criteria: TaskCriteria,
  keys: readonly SortKey[],
  from: CursorSource,
): Promise<string[]> {
  const cursorOf = cursorMaker(from, keys)
  const { page_limit_max: page } = limits
  const { console_places_max, console_places_slice: slice } = console_limits
  const slices = new Slices(slice, slice, db_limits.list_slice_ms, db_limits.statement_ms)
  const places: string[] = []
  let position: TaskPosition | null = null
  while (places.length < console_places_max) {
    const rows: ShownTaskRow[] = await readTasks(reader, from.caller.realm, criteria, {
      keys,
      backwards: false,
      position,
      count: slice,
    })
    places.push(...rows.filter((_, i) => (i + 1) % page === 0).map(cursorOf))
    const last = rows.at(-1)
    if (last === undefined || rows.length < slice || !(await slices.next())) break
    position = { id: last.id, values: sortValues(keys, last) }
  }
  return places.slice(0, console_places_max)
}

/** An order by custom fields is read as a whole. */
async function cursorsByFields(
  reader: Reader,
  criteria: TaskCriteria,
  keys: readonly AnySortKey[],
  from: CursorSource,
): Promise<string[]> {
  const { caller } = from
  const { realm } = caller
  const { page_limit_max: page } = limits
  const count = console_limits.console_places_max * page
  const order = await fieldOrder(reader, caller, keys, undefined)
  const positions = await readPositions(reader, realm, criteria, order, { backwards: false, position: null, count })
  return positions.filter((_, i) => (i + 1) % page === 0).map(positionCursorMaker(from, keys))
}
