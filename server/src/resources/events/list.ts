import { listOperation } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import { listByCursor } from '../../api/request/page.ts'
import { showEvent } from '../../api/stream/event-shape.ts'
import type { EventRow } from '../../db/schema.ts'
import { eventNoun } from './event.ts'
import { eventsBefore, newestEvents } from './queries.ts'

/** Lists the retained events, newest first. Their `sequence` has no gaps. */
export const listEvents = listOperation({
  id: 'events.list',
  method: 'GET',
  path: '/v1/events',
  summary: 'List events',
  scope: 'api:read',
  credits: 5,
  paging: 'opaque',
  lists: eventNoun,
  handle(context) {
    const { reader, caller, now, services, version } = context
    const retained_since = now - limits.event_retention_ms
    return listByCursor<EventRow>(context, {
      binding: { operation: 'events.list', realm: caller.realm, filters: {} },
      read: async (position, count) =>
        position === null
          ? await reader.all(newestEvents, { realm: caller.realm, retained_since, count })
          : await reader.all(eventsBefore, {
              realm: caller.realm,
              sequence: position[0] as number,
              retained_since,
              count,
            }),
      show: (row) => services.versions.downgradeEvent(version, showEvent(row, caller)),
      positionOf: (row) => [row.sequence],
    })
  },
})
