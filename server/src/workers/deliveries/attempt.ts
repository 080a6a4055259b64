/** One attempt: the request that is sent, and how the answer is judged. */
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { showEvent } from '../../api/stream/shape.ts'
import type { EventRow, WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../db/schema.ts'
import type { EgressResult } from '../../egress/egress.ts'
import { jittered } from '../../lib/back-off.ts'
import { millis, seconds } from '../../lib/clock.ts'
import { retryAfter } from '../../lib/retry-after.ts'
import { excerptOf, webhookHeaders } from '../../resources/webhook_endpoints/outgoing.ts'
import { signingSecrets } from '../../resources/webhook_endpoints/secrets.ts'
import { signatureHeaders } from '../../resources/webhook_endpoints/signature.ts'
import { viewerOf } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import type { Use } from './connections.ts'

/** An ended attempt that is to be recorded. */
export interface Outcome {
  readonly delivery: WebhookDeliveryRow
  readonly attempt: WebhookAttemptRow
  readonly succeeded: boolean
  /** The endpoint answered 410. */
  readonly gone: boolean
  /** When the next attempt is due; null after the last one of the cycle. */
  readonly next_attempt_at: number | null
  /** When the attempt ended, in milliseconds. */
  readonly now: number
}

const minute = 60
const hour = 60 * minute

/** Seconds between attempts (contract/11#schedule). */
const default_schedule = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

/** Sends an event to an endpoint. Never rejects for what the endpoint does. */
export async function attemptDelivery(
  services: Services,
  endpoint: WebhookEndpointRow,
  delivery: WebhookDeliveryRow,
  event: EventRow,
  connection: Use,
): Promise<Outcome> {
  const created = services.clock.now()
  const began = performance.now()
  const answer = await services.egress.send({
    ...requestOf(services, endpoint, delivery, event, created),
    owner: `${endpoint.realm} ${endpoint.id} ${connection.number}`,
    sent: connection.sent,
  })
  if (answer.ok && answer.kept) connection.keep()
  const now = services.clock.now()
  const succeeded = answer.ok && answer.status >= 200 && answer.status <= 299
  const gone = answer.ok && answer.status === 410
  const attempt: WebhookAttemptRow = {
    realm: delivery.realm,
    delivery: delivery.id,
    number: delivery.attempts + 1,
    event_created: delivery.event_created,
    created,
    duration_ms: Math.round(performance.now() - began),
    http_status: answer.ok ? answer.status : null,
    error_category: succeeded ? null : answer.ok ? 'http_status' : answer.failure,
    response_excerpt: answer.ok ? excerptOf(answer.body) : null,
    trigger: delivery.trigger,
  }
  const next_attempt_at = succeeded || gone ? null : nextAttempt(services, delivery.cycle_attempts + 1, answer, now)
  return { delivery, attempt, succeeded, gone, next_attempt_at, now }
}

function requestOf(
  services: Services,
  endpoint: WebhookEndpointRow,
  delivery: WebhookDeliveryRow,
  event: EventRow,
  now: number,
) {
  const shown = showEvent(event, viewerOf(endpoint))
  const body = JSON.stringify(services.versions.downgradeEvent(endpoint.api_version, shown))
  const secrets = signingSecrets(services.sealer, endpoint, now)
  return {
    url: new URL(endpoint.url),
    method: 'POST',
    headers: {
      ...webhookHeaders(event, endpoint.api_version),
      'Service-Delivery': delivery.id,
      'Service-Attempt': String(delivery.attempts + 1),
      ...signatureHeaders({ id: event.id, timestamp: seconds(now), body }, secrets),
    },
    body,
    total_ms: limits.webhook_attempt_ms,
    connect_ms: limits.webhook_connect_ms,
    response_bytes_max: limits.webhook_response_bytes_max,
  }
}

/** When the next attempt is due, after `made` attempts of this cycle; null if the schedule ends. */
function nextAttempt(services: Services, made: number, answer: EgressResult, now: number): number | null {
  const step = (services.settings.webhookScheduleSeconds ?? default_schedule)[made - 1]
  if (step === undefined) return null
  const wait = jittered(millis(step), limits.webhook_jitter_percent)
  const requested = answer.ok ? retryAfter(answer.headers['retry-after'], now) : 0
  return now + Math.max(wait, Math.min(requested, 2 * millis(step)))
}
