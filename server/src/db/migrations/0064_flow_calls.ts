import type { Migration } from './migration.ts'

/**
 * Runs that a step of another run has called. `called_by` is that run, which may be deleted before this one; `called_by_path` holds the
 * numbers of the items, as in its journal. A step calls once, which the unique index makes sure. `inputs` is JSON, of reruns too.
 */
export const flowCalls: Migration = {
  name: '0064_flow_calls',
  sql: `
alter table automation_runs add column called_by text;
alter table automation_runs add column called_by_node text;
alter table automation_runs add column called_by_path text;
alter table automation_runs add column inputs text;
create unique index automation_runs_called on automation_runs (realm, called_by, called_by_node, called_by_path) where called_by is not null;
`,
}
