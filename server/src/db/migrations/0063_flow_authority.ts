import type { Migration } from './migration.ts'

/**
 * Whose rights a version has since they were renewed; null while they are those of its activation. The flow repeats what it shows of its
 * newest version. `authority_reason` says why these rights no longer suffice, `authority_ended_at` when that was found; null while they do.
 */
export const flowAuthority: Migration = {
  name: '0063_flow_authority',
  sql: `
alter table automation_versions add column authority_credential text;
alter table automation_versions add column authority_type text;
alter table automation_versions add column authority_id text;
alter table automation_versions add column authority_renewed_at bigint;
alter table automation_flows add column authority_type text;
alter table automation_flows add column authority_id text;
alter table automation_flows add column authority_renewed_at bigint;
alter table automation_flows add column authority_ended_at bigint;
alter table automation_flows add column authority_reason text;
`,
}
