/** The rows of webhooks: endpoints, deliveries, attempts, and how far each log was fanned out. */
import type { ResourceRow } from './rows.ts'

/**
 * `secret` and `previous_secret` are sealed. `failing_…` tell since when, and about how old events, there was nothing but
 * failure. Events up to the sequence `active_after` are none of its business. `next_due_at`: when there is something to
 * send, not set while there is nothing or the endpoint is not enabled.
 */
export interface WebhookEndpointRow extends ResourceRow {
  organization: string
  mode: string
  url: string
  event_types: string
  exclude_own_events: number
  status: string
  status_reason: string | null
  api_version: string
  /** The credential that created it. */
  credential: string
  secret: string
  previous_secret: string | null
  previous_secret_expires_at: number | null
  verified_at: number
  last_success_at: number | null
  last_failure_at: number | null
  consecutive_failures: number
  failing_since: number | null
  failing_event_first_at: number | null
  failing_event_last_at: number | null
  active_after: number
  next_due_at: number | null
  lease_owner: string | null
  lease_until: number | null
}

/** One event for one endpoint. Resending and replaying begin another `cycle`; `attempts` counts over all of them. */
export interface WebhookDeliveryRow {
  realm: number
  id: string
  created: number
  event: string
  sequence: number
  event_created: number
  endpoint: string
  status: string
  trigger: string
  cycle: number
  cycle_attempts: number
  attempts: number
  next_attempt_at: number | null
}

export interface WebhookAttemptRow {
  realm: number
  delivery: string
  number: number
  event_created: number
  created: number
  duration_ms: number
  http_status: number | null
  error_category: string | null
  response_excerpt: string | null
  trigger: string
}

/** How far a realm's event log was fanned out; only realms with endpoints have one. */
export interface WebhookPositionRow {
  realm: number
  organization: string
  mode: string
  sequence: number
  /** Goes back only with a clock that was far ahead: what is due first stands earlier in the log. */
  fanned_out_at: number
}
