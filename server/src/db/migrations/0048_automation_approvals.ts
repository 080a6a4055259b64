import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/**
 * Decisions that runs of automations wait for. `asked` is a JSON array of user ids; `path` holds the numbers of the items, as in the
 * journal of the run. A step asks once, which the unique index makes sure.
 */
export const automationApprovals: Migration = {
  name: '0048_automation_approvals',
  sql: `
create table automation_approvals (${resource_columns}, workspace text not null, automation_flow text not null,
  automation_run text not null, node text not null, path text not null, task text, asked text not null, "text" text not null,
  status text not null, decided_by text, comment text, decided_at bigint, expires_at bigint, primary key (realm, id));
create unique index automation_approvals_step on automation_approvals (realm, automation_run, node, path);
create index automation_approvals_workspace on automation_approvals (realm, workspace, id);
create index automation_approvals_pending on automation_approvals (realm, id) where status = 'pending';
`,
}
