import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { requireLive } from '../../api/request/target.ts'
import type { Services } from '../../api/services.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { webhookHeaders } from '../../resources/webhook_endpoints/outgoing.ts'
import { signingSecrets } from '../../resources/webhook_endpoints/secrets.ts'
import { signatureHeaders } from '../../resources/webhook_endpoints/signature.ts'
import { webhookEndpointNoun } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession, realmOfSession } from '../sessions/session.ts'
import type { ExampleResult } from '../shapes.ts'
import { exampleEvent } from './example-events.ts'

/** The time of this process's last example, by endpoint. */
const sent_at = new Map<string, number>()

/**
 * Sends an example event once, signed like a real one, and returns the response. The example is not in the event log and
 * does not count toward the endpoint's health or pause; its `sequence` is null.
 */
export const sendExample = endpoint('POST endpoints/{id}/example', {
  needs: 'session',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText), type: Type.String({ minLength: 1, maxLength: 80 }) }),
  async handle(context) {
    const { services, session, params, body: sent, now } = context
    const mode = sent.mode ?? 'live'
    const caller = callerOfSession(session, mode)
    const reader = services.store.reader(caller.storeScope)
    const row = await requireLive(webhookEndpointNoun, reader, caller, params.id ?? '')
    const event = exampleEvent(sent.type, session.organization, mode === 'live', now)
    if (event === null)
      throw refuse('invalid_request_body', { param: 'type', message: `Unknown event type "${sent.type}".` })
    limitRate(row.id, now)
    const change = { action: 'webhook_endpoints.send_example', realms: [realmOfSession(session, mode)] }
    await commitAsUser(context, change, async ({ note }) =>
      note({ target: { object: 'webhook_endpoint', id: row.id } }),
    )
    return await send(services, row, event as { readonly id: string; readonly type: string }, now)
  },
})

/** Limits examples to one per pause and endpoint, so that the console cannot be used to flood a URL. */
function limitRate(endpoint: string, now: number): void {
  const previous = sent_at.get(endpoint) ?? Number.NEGATIVE_INFINITY
  if (now >= previous && now - previous < console_limits.console_example_pause_ms) {
    throw refuse('too_many_attempts', {
      message: 'An example was just sent to this endpoint. Wait a second.',
      retryAfter: 1,
    })
  }
  for (const [id, at] of sent_at) if (Math.abs(now - at) >= console_limits.console_example_pause_ms) sent_at.delete(id)
  sent_at.set(endpoint, now)
}

async function send(
  services: Services,
  row: WebhookEndpointRow,
  event: { readonly id: string; readonly type: string },
  now: number,
): Promise<ExampleResult> {
  const text = JSON.stringify(services.versions.downgradeEvent(row.api_version, event))
  const secrets = signingSecrets(services.sealer, row, now)
  const signed = signatureHeaders({ id: event.id, timestamp: seconds(now), body: text }, secrets)
  const headers = { ...webhookHeaders(event, row.api_version), 'Service-Example': 'true', ...signed }
  const start = performance.now()
  const answer = await services.egress.send({
    url: new URL(row.url),
    method: 'POST',
    headers,
    body: text,
    total_ms: limits.webhook_attempt_ms,
    connect_ms: limits.webhook_connect_ms,
    response_bytes_max: limits.webhook_response_bytes_max,
  })
  const excerpt = answer.ok ? new TextDecoder().decode(answer.body.subarray(0, limits.webhook_excerpt_bytes_max)) : ''
  return {
    type: event.type,
    duration_ms: Math.round(performance.now() - start),
    http_status: answer.ok ? answer.status : null,
    error_category: answer.ok ? (answer.status >= 200 && answer.status < 300 ? null : 'http_status') : answer.failure,
    response_excerpt: excerpt === '' ? null : excerpt,
    request: { headers, body: text },
  }
}
