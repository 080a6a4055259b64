import type { Migration } from './migration.ts'

/**
 * `rerun_of` is the run that a run repeats, which may be deleted before it; `rerun_from` is the node from which it does so, null from
 * the start. `reused` is 1 for journal entries that were taken over from that run.
 */
export const reruns: Migration = {
  name: '0061_reruns',
  sql: `
alter table automation_runs add column rerun_of text;
alter table automation_runs add column rerun_from text;
alter table automation_steps add column reused bigint not null default 0;
create index automation_runs_rerun on automation_runs (realm, rerun_of, id) where rerun_of is not null;
`,
}
