/** The rows of webhooks: endpoints, deliveries, attempts, and how far each log was fanned out. */
import type { ResourceRow } from './row.ts'

/**
 * `secret` and `previous_secret` are sealed. `failing_…`: since when all attempts failed, and how old their events are.
 * Events up to the sequence `active_after` are not delivered. `next_due_at`: when the next delivery is due; null
 * without a delivery, or while the endpoint is not enabled.
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
  /** The scopes of that credential as a JSON array; null: all. */
  scopes: string | null
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

/** One event for one endpoint. Resending and replaying start another `cycle`; `attempts` counts over all cycles. */
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

/** The position up to which a realm's event log was fanned out. Only realms with endpoints have a row. */
export interface WebhookPositionRow {
  realm: number
  organization: string
  mode: string
  sequence: number
  /** The event at `sequence`, if it is known. */
  event: string | null
  /** Decreases only after the clock was far ahead: deliveries due first are then earlier in the log. */
  fanned_out_at: number
}
