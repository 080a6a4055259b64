import type { Migration } from './migration.ts'

/**
 * Followers of the event log also keep the id of the last event: after a failover to an asynchronous standby another event may
 * have its number. And until when events of a realm may be lost, for clients that resume at one.
 */
export const logPositions: Migration = {
  name: '0017_log_positions',
  sql: `
alter table webhook_positions add column event text;
alter table automation_positions add column event text;
create table event_losses (realm bigint not null primary key, lost_until bigint not null);
`,
}
