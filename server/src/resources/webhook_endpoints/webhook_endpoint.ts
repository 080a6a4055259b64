/**
 * The webhook endpoint: enabled ⇄ paused by its user, disabled by the system (contract/11#endpoint-status). What deliveries leave on it
 * (last success, failures) is shown, but is no change of the endpoint: it raises no revision and emits nothing.
 */
import Type, { type Static } from 'typebox'
import type { Mode } from '../../api/declare/caller.ts'
import { subscribes } from '../../api/declare/event.ts'
import { noun } from '../../api/declare/noun.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { described, Flag, head, Nullable, OneOf, Revision, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { Viewer } from '../../api/stream/shape.ts'
import type { EventRow, WebhookEndpointRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

/** The URL as sent; `verify.ts` decides whether requests to it are allowed. */
export const Url = Type.String()
export const EventTypes = Type.Array(Type.String({ minLength: 1, maxLength: 160 }), {
  minItems: 1,
  maxItems: limits.webhook_event_types_max,
  uniqueItems: true,
})

const fields = {
  ...head('webhook_endpoint'),
  url: described(Type.String(), 'HTTPS URL that deliveries are posted to. It is verified before it is stored.'),
  event_types: described(
    Type.Array(Type.String()),
    'Exact types (`workflow.task.created`) or patterns (`workflow.task.*`, `workflow.*`, `*`).',
  ),
  exclude_own_events: described(
    Flag,
    'Whether to leave out events caused by the credential that created the endpoint; false by default.',
  ),
  status: described(
    OneOf('enabled', 'paused', 'disabled'),
    '`paused` by you, `disabled` by the system; neither receives events.',
  ),
  status_reason: described(Nullable(Type.String()), 'Why the system disabled the endpoint; null otherwise.'),
  api_version: described(Type.String(), 'Version that the deliveries use, a date.'),
  verified_at: described(Seconds, 'When the URL was last verified, in Unix seconds.'),
  previous_secret_expires_at: described(
    Nullable(Seconds),
    'Until when the previous secret also signs, in Unix seconds; null outside a rotation.',
  ),
  last_success_at: described(Nullable(Seconds), 'When a delivery last succeeded, in Unix seconds; null if never.'),
  last_failure_at: described(Nullable(Seconds), 'When a delivery last failed, in Unix seconds; null if never.'),
  consecutive_failures: described(Type.Integer({ minimum: 0 }), 'Failed attempts since the last success.'),
  revision: Revision,
}

export const WebhookEndpoint = Type.Object(fields)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** The answers to creation and rotation, which contain the secret. */
export const WebhookEndpointWithSecret = Type.Object({
  ...fields,
  signing_secret: described(Type.String(), 'Secret that deliveries are signed with. It is shown once: store it now.'),
})

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The endpoint at `now` (milliseconds), which decides whether the previous secret still signs. */
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

/** Whether the previous secret also signs. */
export function overlaps(row: WebhookEndpointRow, now: number): boolean {
  return row.previous_secret_expires_at !== null && now < row.previous_secret_expires_at
}

/** An endpoint is shown what the credential that made it was allowed to read (contract/11#endpoint-scopes). */
export function viewerOf({ mode, scopes }: Pick<WebhookEndpointRow, 'mode' | 'scopes'>): Viewer {
  return { mode: mode as Mode, scopes: scopes === null ? null : new Set(JSON.parse(scopes) as Scope[]) }
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
