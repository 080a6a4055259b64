import { refuse } from '../../../api/declare/errors.ts'
import { required, textParameter } from '../../../api/declare/parameters.ts'
import { millis } from '../../../lib/clock.ts'
import { countGroups, type Grouping, group_columns } from '../../../resources/tasks/list/groups.ts'
import { criteriaParameters, readCriteria } from '../../../resources/tasks/list/parameters.ts'
import { endpoint } from '../../endpoint.ts'
import { modeParameter } from '../../fields.ts'
import { console_limits } from '../../limits.ts'
import { callerOfSession } from '../../sessions/session.ts'

/** Counts the tasks of a list by the values of a property, for the heads of a grouped list. */
export const countTaskGroups = endpoint('GET tasks/groups', {
  needs: 'session',
  guests: true,
  query: {
    mode: modeParameter,
    filter: criteriaParameters.filter,
    by: required(
      textParameter(60, 'the property: status, priority, assignee, project, column, labels, due_at, or a key'),
    ),
    bounds: textParameter(600, 'the moments that divide due_at'),
  },
  async handle({ services, session, query, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const grouping = readGrouping(query.by, query.bounds)
    const { criteria } = await readCriteria({ reader, caller, now }, { filter: query.filter })
    return await countGroups(reader, caller.realm, criteria, grouping, console_limits.console_groups_max)
  },
})

function readGrouping(by: string, bounds: string | undefined): Grouping {
  const column = group_columns.find((each) => each === by)
  if (column !== undefined) return { by: column }
  if (by === 'labels') return { by }
  if (by === 'due_at') return { by, bounds: readBounds(bounds) }
  const key = /^custom_fields\.([a-z][a-z0-9_]{0,39})$/.exec(by)?.[1]
  if (key !== undefined) return { by: 'custom_field', key }
  const message = `by cannot be "${by}". Use ${group_columns.join(', ')}, labels, due_at or custom_fields.<key>.`
  throw refuse('invalid_query_parameter', { param: 'by', message })
}

/** The days of a calendar's month, and its end. */
const bounds_max = 43

/** Unix seconds in ascending order. */
function readBounds(text = ''): number[] {
  const texts = text.split(',')
  const bounds = texts.map(Number)
  const isAscending = bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] as number))
  if (texts.every((each) => /^\d{1,12}$/.test(each)) && isAscending && bounds.length <= bounds_max) {
    return bounds.map(millis)
  }
  const message = `bounds cannot be "${text}". Use 1 to ${bounds_max} ascending times in Unix seconds, separated by commas.`
  throw refuse('invalid_query_parameter', { param: 'bounds', message })
}
