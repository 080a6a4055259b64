import { refuse } from '../../api/declare/errors.ts'
import { eventTypes, isKnownPattern, subscribes, unknownPattern } from '../../api/declare/event.ts'
import { type ListContext, listOperation } from '../../api/declare/operation.ts'
import { idParameter, listParameter, secondsParameter } from '../../api/declare/parameters.ts'
import { quoted } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import { exclusiveTimes } from '../../api/request/exclusive-times.ts'
import { listByCursor } from '../../api/request/page.ts'
import { showEvent } from '../../api/stream/shape.ts'
import type { EventRow } from '../../db/schema.ts'
import { taskNoun } from '../tasks/task.ts'
import { eventNoun } from './event.ts'
import { readEvents } from './queries.ts'

/** Lists the retained events, newest first. Their `sequence` has no gaps. The times are exclusive. */
export const listEvents = listOperation({
  id: 'events.list',
  method: 'GET',
  path: '/v1/events',
  summary: 'List events',
  scope: 'api:read',
  credits: 5,
  paging: 'opaque',
  lists: eventNoun,
  query: {
    types: listParameter('Event types, exact or as patterns: `workflow.task.*`, `workflow.*`, `*`.'),
    object: idParameter('Only events about the object with this id, or the task with this key; also of a deleted one.'),
    created_after: secondsParameter('Unix seconds; only later events.'),
    created_before: secondsParameter('Unix seconds; only earlier events.'),
  },
  async handle(context) {
    const { reader, caller, now, services, version, operation } = context
    const { limit: _limit, cursor: _cursor, ...filters } = context.query
    const types = matchingTypes(filters.types)
    const { from = 0, until } = exclusiveTimes(filters)
    const retained = now - limits.event_retention_ms + 1
    const object = await objectOf(context, filters.object)
    const criteria = { types, object, from: Math.max(from, retained), until }
    return await listByCursor<EventRow>(context, {
      binding: { operation: operation.id, realm: caller.realm, filters },
      read: (position, count) =>
        readEvents(reader, caller.realm, { ...criteria, before: position?.[0] as number | undefined }, count),
      show: (row) => services.versions.downgradeEvent(version, showEvent(row, caller)),
      positionOf: (row) => [row.sequence],
    })
  },
})

const id_form = /^[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** The id of an object: that of the task for a key. Refuses what can name no object (contract/10#reading-events). */
async function objectOf({ reader, caller }: Pick<ListContext<unknown, unknown>, 'reader' | 'caller'>, sent?: string) {
  if (sent === undefined || id_form.test(sent)) return sent
  const task = await taskNoun.find(reader, caller, sent)
  if (task !== undefined) return task.id
  const message = `object cannot be ${quoted(sent)}. Use the id of an object, or the key of a task.`
  throw refuse('invalid_query_parameter', { param: 'object', message })
}

/** The types that any pattern matches; undefined for all. Refuses a pattern that matches no type. */
function matchingTypes(patterns: readonly string[] | undefined): readonly string[] | undefined {
  const unknown = patterns?.find((pattern) => !isKnownPattern(pattern))
  if (unknown !== undefined)
    throw refuse('invalid_query_parameter', { param: 'types', message: unknownPattern(unknown) })
  if (patterns === undefined || patterns.includes('*')) return undefined
  return [...eventTypes.keys()].filter((type) => patterns.some((pattern) => subscribes(pattern, type)))
}
