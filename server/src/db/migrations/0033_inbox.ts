import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/**
 * The inbox. `notifications` are derived from the event log by a worker, except `read_at` and `snoozed_until`, which belong to
 * the person. `watches` says from which sequence on a person watches, leaves alone or mutes a task or project.
 * `inbox_positions` says how far each log is processed; events that were there before the migration tell no person anything.
 */
export const inbox: Migration = {
  name: '0033_inbox',
  sql: `
create table notifications (${resource_columns}, "user" text not null, workspace text, kind text not null,
  subject_type text not null, subject text not null, comment text, event text, sequence bigint not null, actor_type text,
  actor_id text, details text not null, read_at bigint, snoozed_until bigint, generation bigint not null,
  primary key (realm, id));
create index notifications_user on notifications (realm, "user", id);
create index notifications_unread on notifications (realm, "user", id) where read_at is null and deleted_at is null;
create index notifications_subject on notifications (realm, subject);
create index notifications_sequence on notifications (realm, sequence);
create index notifications_age on notifications (created);
create table watches (realm bigint not null, subject text not null, "user" text not null, since bigint not null,
  level text not null, reason text not null, primary key (realm, subject, "user", since));
create index watches_since on watches (realm, since);
create table inbox_positions (realm bigint not null primary key, organization text not null, sequence bigint not null,
  event text, begins bigint not null, generation bigint not null, rebuilt_from bigint, rebuilt_to bigint,
  clock_at bigint not null, looked_at bigint not null);
insert into inbox_positions (realm, organization, sequence, event, begins, generation, rebuilt_from, rebuilt_to, clock_at,
  looked_at)
  select event_heads.realm, realms.organization, event_heads.sequence, null, event_heads.sequence, 1, null, null, 0, 0
  from event_heads join realms on realms.realm = event_heads.realm where event_heads.sequence > 0;
`,
}
