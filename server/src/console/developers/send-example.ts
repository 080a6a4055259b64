import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { requireLive } from '../../api/target.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { webhookHeaders } from '../../resources/webhook_endpoints/outgoing.ts'
import { signingSecrets } from '../../resources/webhook_endpoints/secrets.ts'
import { signatureHeaders } from '../../resources/webhook_endpoints/signature.ts'
import { webhookEndpointNoun } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { callerOfSession, realmOfSession } from '../sessions/session.ts'
import type { ExampleSent } from '../shapes-developers.ts'
import { exampleEvent } from './example-events.ts'

/** When an endpoint was last sent an example by this process. */
const lastSent = new Map<string, number>()

/**
 * Sends an example of a type, once, signed as a real event is, and tells what came back. It is in no event log and counts for
 * nothing, neither for the endpoint's health nor for its pauses; its `sequence` is null.
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
      throw refuse('invalid_request_body', { param: 'type', message: `${sent.type} is no event type.` })
    takeTurn(row.id, now)
    const about = { action: 'webhook_endpoints.send_example', realms: [realmOfSession(session, mode)] }
    await commitBy(context, about, async ({ note }) => note({ target: { object: 'webhook_endpoint', id: row.id } }))
    return await send(services, row, event as { readonly id: string; readonly type: string }, now)
  },
})

/** One at a time, and not in quick succession: this is no means of making the server call somebody. */
function takeTurn(endpoint: string, now: number): void {
  const last = lastSent.get(endpoint) ?? Number.NEGATIVE_INFINITY
  if (now >= last && now - last < limits.console_example_pause_ms) {
    throw refuse('too_many_attempts', { message: 'An example was sent a moment ago: wait a little.', retryAfter: 1 })
  }
  for (const [id, at] of lastSent) if (Math.abs(now - at) >= limits.console_example_pause_ms) lastSent.delete(id)
  lastSent.set(endpoint, now)
}

async function send(
  services: Services,
  row: WebhookEndpointRow,
  event: { readonly id: string; readonly type: string },
  now: number,
): Promise<ExampleSent> {
  const text = JSON.stringify(services.versions.downgradeEvent(row.api_version, event))
  const secrets = signingSecrets(services.sealer, row, now)
  const signed = signatureHeaders({ id: event.id, timestamp: seconds(now), body: text }, secrets)
  const headers = { ...webhookHeaders(event, row.api_version), 'Service-Example': 'true', ...signed }
  const began = performance.now()
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
    duration_ms: Math.round(performance.now() - began),
    http_status: answer.ok ? answer.status : null,
    error_category: answer.ok ? (answer.status >= 200 && answer.status < 300 ? null : 'http_status') : answer.failure,
    response_excerpt: excerpt === '' ? null : excerpt,
    request: { headers, body: text },
  }
}
