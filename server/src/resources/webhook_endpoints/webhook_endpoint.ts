/**
 * The webhook endpoint: enabled ⇄ paused by its user, disabled by the system (decisions §11). What deliveries leave on it
 * (last success, failures) is shown, but is no change of the endpoint: it raises no revision and emits nothing.
 */
import Type, { type Static } from 'typebox'
import { subscribes } from '../../api/event.ts'
import { noun } from '../../api/noun.ts'
import { Flag, head, Nullable, OneOf, Revision, Seconds } from '../../api/shapes.ts'
import type { EventRow, WebhookEndpointRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

/** What a client sends; whether the URL may be sent to is decided by `verify.ts`. */
export const Url = Type.String()
export const EventTypes = Type.Array(Type.String({ minLength: 1, maxLength: 160 }), {
  minItems: 1,
  maxItems: limits.webhook_event_types_max,
  uniqueItems: true,
})

const fields = {
  ...head('webhook_endpoint'),
  url: Type.String(),
  event_types: Type.Array(Type.String()),
  exclude_own_events: Flag,
  status: OneOf('enabled', 'paused', 'disabled'),
  status_reason: Nullable(Type.String()),
  api_version: Type.String(),
  verified_at: Seconds,
  previous_secret_expires_at: Nullable(Seconds),
  last_success_at: Nullable(Seconds),
  last_failure_at: Nullable(Seconds),
  consecutive_failures: Type.Integer({ minimum: 0 }),
  revision: Revision,
}

export const WebhookEndpoint = Type.Object(fields)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** The answers to its creation and to the rotation of its secret: the only ones that hold one. */
export const WebhookEndpointWithSecret = Type.Object({ ...fields, signing_secret: Type.String() })

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The endpoint as it stands at `now` (milliseconds), which decides whether a previous secret still signs. */
export function showWebhookEndpoint(row: WebhookEndpointRow, now: number): WebhookEndpoint {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    created: seconds(row.created),
    updated: seconds(row.updated),
    url: row.url,
    event_types: JSON.parse(row.event_types) as string[],
    exclude_own_events: row.exclude_own_events === 1,
    status: row.status as WebhookEndpoint['status'],
    status_reason: row.status_reason,
    api_version: row.api_version,
    verified_at: seconds(row.verified_at),
    previous_secret_expires_at: overlaps(row, now) ? whole(row.previous_secret_expires_at) : null,
    last_success_at: whole(row.last_success_at),
    last_failure_at: whole(row.last_failure_at),
    consecutive_failures: row.consecutive_failures,
    revision: row.revision,
  }
}

/** Whether the previous secret signs too. */
export function overlaps(row: WebhookEndpointRow, now: number): boolean {
  return row.previous_secret_expires_at !== null && now < row.previous_secret_expires_at
}

/** Why an endpoint does not want an event, or `null`: it does. */
export function declines(
  row: Pick<WebhookEndpointRow, 'event_types' | 'exclude_own_events' | 'credential'>,
  event: Pick<EventRow, 'type' | 'credential'>,
): 'not_subscribed' | 'own_event' | null {
  const patterns = JSON.parse(row.event_types) as string[]
  if (!patterns.some((pattern) => subscribes(pattern, event.type))) return 'not_subscribed'
  return row.exclude_own_events === 1 && event.credential === row.credential ? 'own_event' : null
}

export const webhookEndpointNoun = noun({
  object: 'webhook_endpoint',
  prefix: 'whe',
  table: 'webhook_endpoints',
  schema: WebhookEndpoint,
  readScope: 'api:manage',
  workspaced: false,
  forgets: true,
  show: (row) => showWebhookEndpoint(row, 0),
})
