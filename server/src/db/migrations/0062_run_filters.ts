import type { Migration } from './migration.ts'

/**
 * Lists of runs in a state: those of a workspace and of a flow that have ended, and the open ones of a workspace. `input` is what a step
 * received, as people see it: JSON without secrets, perhaps cut; null if none is kept, and of steps before this migration.
 */
export const runFilters: Migration = {
  name: '0062_run_filters',
  sql: `
create index automation_runs_workspace_ended on automation_runs (realm, workspace, status, id) where ended_at is not null;
create index automation_runs_flow_ended on automation_runs (realm, automation_flow, status, id) where ended_at is not null;
create index automation_runs_workspace_open on automation_runs (realm, workspace, id) where ended_at is null;
alter table automation_steps add column input text;
`,
}
