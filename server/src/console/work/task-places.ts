/**
 * How long a list of tasks is, and the cursors by which the console opens any page of it: lists of the API are read one
 * page after the other, and a scrollbar goes anywhere.
 */
import { textParameter } from '../../api/parameters.ts'
import { limits } from '../../lib/limits.ts'
import { Slices } from '../../lib/turns.ts'
import { countAsked } from '../../resources/tasks/count.ts'
import { listTasks } from '../../resources/tasks/list.ts'
import { cursorMaker, readSort } from '../../resources/tasks/position.ts'
import type { TaskPosition } from '../../resources/tasks/queries-list.ts'
import { readTasks } from '../../resources/tasks/queries-page.ts'
import { questionParameters, readQuestion } from '../../resources/tasks/question.ts'
import { sortValues } from '../../resources/tasks/sort.ts'
import type { ShownTaskRow } from '../../resources/tasks/task.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { callerOfSession } from '../sessions/session.ts'

/** How many tasks a list has; an answer may be a minute old. */
export const countListed = endpoint('GET tasks/count', {
  needs: 'session',
  query: { mode: modeParameter, filter: questionParameters.filter },
  async handle({ services, session, query, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { count } = await countAsked({ reader, caller, services, now }, { filter: query.filter })
    return { count }
  },
})

/**
 * The cursors behind which the second page of a list begins, the third and so on, each page of `page` tasks: as far as
 * `limits.console_places_max` pages, and as far as a statement's time allows.
 */
export const placesOfTasks = endpoint('GET tasks/places', {
  needs: 'session',
  query: { mode: modeParameter, filter: questionParameters.filter, sort: textParameter(160, 'as a list of tasks') },
  async handle({ services, session, query }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const keys = readSort(query.sort)
    const { question } = await readQuestion({ reader, caller }, { filter: query.filter })
    const cursorOf = cursorMaker({ operation: listTasks, caller, services }, keys)
    const { page_limit_max: page, console_places_max, console_places_slice: slice } = limits
    const slices = new Slices(slice, slice, limits.list_slice_ms, limits.statement_ms)
    const places: string[] = []
    let position: TaskPosition | null = null
    while (places.length < console_places_max) {
      const rows: ShownTaskRow[] = await readTasks(reader, caller.realm, question, {
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
    return { page, places: places.slice(0, console_places_max) }
  },
})
