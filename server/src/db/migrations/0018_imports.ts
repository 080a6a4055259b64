import type { Migration } from './migration.ts'

/**
 * Tasks that were imported, by the id that they have in the system they come from; and demo organizations whose creation
 * has not ended, with the ends of their logs before the demo's work.
 */
export const imports: Migration = {
  name: '0018_imports',
  sql: `
create table imported_tasks (realm bigint not null, workspace text not null, source text not null,
  external_id text not null, task text not null, version text, created bigint not null,
  primary key (realm, workspace, source, external_id));
create table unfinished_demos (organization text not null primary key, process text not null, ends bigint not null,
  audit_sequence bigint not null, event_sequence bigint not null);
`,
}
