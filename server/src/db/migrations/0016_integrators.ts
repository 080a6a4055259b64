import type { Migration } from './migration.ts'

/**
 * The scopes of the credential that created a webhook endpoint (null in older endpoints: all), the secret that a key
 * had before it was rolled, and the indexes that bound the cost of filtered lists of events and deliveries.
 */
export const integrators: Migration = {
  name: '0016_integrators',
  sql: `
alter table webhook_endpoints add column scopes text;
alter table credentials add column previous_digest text;
alter table credentials add column previous_expires_at bigint;
create unique index credentials_previous on credentials (previous_digest) where previous_digest is not null;
create index events_type on events (realm, type, sequence);
create index events_object on events (realm, object_id, sequence);
create index webhook_deliveries_status on webhook_deliveries (realm, endpoint, status, id);
`,
}
