import { refuse } from '../../api/declare/errors.ts'
import { isKnownPattern, unknownPattern } from '../../api/declare/event.ts'
import { type ReadContext, readOperation } from '../../api/declare/operation.ts'
import { listParameter, required } from '../../api/declare/parameters.ts'
import { runStream } from '../../api/stream/event-stream.ts'
import type { LogPosition } from '../../api/stream/log.ts'
import { Event } from '../../api/stream/shape.ts'
import { findRetained } from './queries.ts'

/**
 * Streams events as they happen. `Last-Event-ID` resumes after that event, without loss or repetition; without it the
 * stream begins now.
 */
export const streamEvents = readOperation({
  id: 'events.stream',
  method: 'GET',
  path: '/v1/events/stream',
  summary: 'Stream events',
  scope: 'api:read',
  credits: 5,
  streams: true,
  query: { types: required(listParameter('Event types, exact or as patterns: `workflow.task.*`, `workflow.*`, `*`.')) },
  returns: Event,
  example: { query: { 'types[]': '*' } },
  async handle(context) {
    const { query, caller, services, version } = context
    for (const pattern of query.types) {
      if (isKnownPattern(pattern)) continue
      throw refuse('invalid_query_parameter', { param: 'types', message: unknownPattern(pattern) })
    }
    services.streams.requireRoom(caller)
    const after = await startOf(context)
    return {
      etag: `W/"${after.sequence}"`,
      open: (sink: Parameters<typeof runStream>[2]) =>
        runStream(services, { caller, patterns: query.types, version, after }, sink),
    }
  },
})

/** The event to begin after: the named one, else the newest. */
async function startOf(context: ReadContext<unknown, unknown, unknown>): Promise<LogPosition> {
  const { request, reader, caller, services, now } = context
  const id = request.headers['last-event-id'] as string | undefined
  if (id === undefined || id === '') return await services.feed.head(caller.realm, caller.storeScope)
  return await findRetained(reader, caller, id, now, () => services.feed.hasLost(caller.realm, caller.storeScope, id))
}
