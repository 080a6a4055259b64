import { requireLive } from '../../api/request/target.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import { seconds } from '../../lib/clock.ts'
import { webhookEndpointNoun } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'
import type { EndpointAttempt } from '../shapes.ts'

/** The latest attempts, with the event of each. */
const listLatestAttempts = query((db, p: Placeholder<{ realm: number; endpoint: string }>) =>
  db
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_attempts', (join) =>
      join
        .onRef('webhook_attempts.realm', '=', 'webhook_deliveries.realm')
        .onRef('webhook_attempts.delivery', '=', 'webhook_deliveries.id'),
    )
    .leftJoin('events', (join) =>
      join.onRef('events.realm', '=', 'webhook_deliveries.realm').onRef('events.id', '=', 'webhook_deliveries.event'),
    )
    .select(['webhook_deliveries.id as delivery', 'webhook_deliveries.event', 'events.type as event_type'])
    .select(['webhook_attempts.number', 'webhook_attempts.created', 'webhook_attempts.duration_ms'])
    .select(['webhook_attempts.http_status', 'webhook_attempts.error_category', 'webhook_attempts.response_excerpt'])
    .select('webhook_attempts.trigger')
    .where('webhook_deliveries.realm', '=', p('realm'))
    .where('webhook_deliveries.endpoint', '=', p('endpoint'))
    .orderBy('webhook_deliveries.id', 'desc')
    .orderBy('webhook_attempts.number', 'desc')
    .limit(literal(console_limits.console_attempts_shown)),
)

const countPending = query((db, p: Placeholder<{ realm: number; endpoint: string }>) =>
  db
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('endpoint', '=', p('endpoint'))
    .where('next_attempt_at', 'is not', null),
)

/** Retrieves an endpoint's latest delivery attempts, their success rate and median duration. */
export const retrieveEndpointHealth = endpoint('GET endpoints/{id}/health', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter },
  async handle({ services, session, params, query: { mode } }) {
    const caller = callerOfSession(session, mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { id } = await requireLive(webhookEndpointNoun, reader, caller, params.id ?? '')
    const bound = { realm: caller.realm, endpoint: id }
    const rows = await reader.all(listLatestAttempts, bound)
    const attempts: EndpointAttempt[] = rows.map((row) => ({
      ...row,
      created: seconds(row.created),
      succeeded: row.error_category === null,
    }))
    const durations = attempts.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b)
    return {
      success_rate:
        attempts.length === 0 ? null : attempts.filter(({ succeeded }) => succeeded).length / attempts.length,
      p50_ms: durations[Math.floor(durations.length / 2)] ?? null,
      pending: (await reader.first(countPending, bound))?.count ?? 0,
      attempts,
    }
  },
})
