import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Webhook endpoints, their deliveries and attempts, and how far each event log was fanned out. */
export const webhooks: Migration = {
  name: '0004_webhooks',
  sql: `
create table webhook_endpoints (${resource_columns}, organization text not null, mode text not null, url text not null,
  event_types text not null, exclude_own_events bigint not null, status text not null, status_reason text,
  api_version text not null, credential text not null, secret text not null, previous_secret text,
  previous_secret_expires_at bigint, verified_at bigint not null, last_success_at bigint, last_failure_at bigint,
  consecutive_failures bigint not null, failing_since bigint, failing_event_first_at bigint,
  failing_event_last_at bigint, active_after bigint not null, next_due_at bigint, lease_owner text,
  lease_until bigint, primary key (realm, id));
create index webhook_endpoints_due on webhook_endpoints (next_due_at) where next_due_at is not null;
create index webhook_endpoints_lease on webhook_endpoints (lease_owner) where lease_owner is not null;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;
create index webhook_endpoints_secret on webhook_endpoints (previous_secret_expires_at)
  where previous_secret_expires_at is not null;
create table webhook_deliveries (realm bigint not null, id text not null, created bigint not null, event text not null,
  sequence bigint not null, event_created bigint not null, endpoint text not null, status text not null,
  "trigger" text not null, cycle bigint not null, cycle_attempts bigint not null, attempts bigint not null,
  next_attempt_at bigint, primary key (realm, id));
create unique index webhook_deliveries_event on webhook_deliveries (realm, event, endpoint);
create index webhook_deliveries_due on webhook_deliveries (realm, endpoint, next_attempt_at, sequence)
  where next_attempt_at is not null;
create index webhook_deliveries_endpoint on webhook_deliveries (realm, endpoint, id);
create index webhook_deliveries_age on webhook_deliveries (event_created);
create table webhook_attempts (realm bigint not null, delivery text not null, number bigint not null,
  event_created bigint not null, created bigint not null, duration_ms bigint not null, http_status bigint,
  error_category text, response_excerpt text, "trigger" text not null, primary key (realm, delivery, number));
create index webhook_attempts_age on webhook_attempts (event_created);
create table webhook_positions (realm bigint not null primary key, organization text not null, mode text not null,
  sequence bigint not null, fanned_out_at bigint not null);
`,
}
