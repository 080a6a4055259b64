import type { Migration } from './migration.ts'

/**
 * `correction` says what a person corrected of the input of a rerun, and who: JSON; null if nothing was. `step_input` are the corrected
 * settings of the step from which it starts, as JSON. The entry of that step repeats what was corrected, so that journals that take it
 * over say so, too. `notes` are the notes on the canvas of a flow, and `last_named_version` is the version that was named last, both as
 * JSON. Two indexes serve lists of runs by the time of their end.
 */
export const correctedSteps: Migration = {
  name: '0065_corrected_steps',
  sql: `
alter table automation_runs add column correction text;
alter table automation_runs add column step_input text;
alter table automation_steps add column correction text;
alter table automation_flows add column notes text not null default '[]';
alter table automation_flows add column last_named_version text;
create index automation_runs_workspace_end on automation_runs (realm, workspace, status, ended_at, id) where ended_at is not null;
create index automation_runs_flow_end on automation_runs (realm, automation_flow, status, ended_at, id) where ended_at is not null;
`,
}
