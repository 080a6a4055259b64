import { refuse } from '../../api/errors.ts'
import { isKnownPattern } from '../../api/event.ts'
import { lastSequence } from '../../api/event-feed.ts'
import { Event } from '../../api/event-shape.ts'
import { runStream } from '../../api/event-stream.ts'
import { type ReadContext, readOperation } from '../../api/operation.ts'
import { listParameter, required } from '../../api/parameters.ts'
import { findRetained } from './queries.ts'

/**
 * Streams events as they happen. `Last-Event-ID` resumes behind that event without loss or double; without it the stream
 * begins now.
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
      throw refuse('invalid_query_parameter', {
        param: 'types',
        message: `There is no event type "${pattern.slice(0, 80)}".`,
      })
    }
    services.streams.requireRoom(caller)
    const after = await startOf(context)
    return {
      etag: `W/"${after}"`,
      open: (sink: Parameters<typeof runStream>[2]) =>
        runStream(services, { caller, patterns: query.types, version, after }, sink),
    }
  },
})

/** The sequence behind which to begin: of the named event, else of the latest. */
async function startOf({ request, reader, caller, now }: ReadContext<unknown, unknown, unknown>): Promise<number> {
  const id = request.headers['last-event-id'] as string | undefined
  if (id === undefined || id === '')
    return (await reader.first(lastSequence, { realm: caller.realm }))?.event_sequence ?? 0
  return (await findRetained(reader, caller, id, now)).sequence
}
