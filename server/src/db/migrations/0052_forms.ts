import type { Migration } from './migration.ts'

/**
 * Forms that start automations: the address of a flow's form, found by the digest of its secret, and the submissions that
 * started runs. A submission is deleted with its run; until then its key starts no other.
 */
export const forms: Migration = {
  name: '0052_forms',
  sql: `
create table automation_forms (realm bigint not null, flow text not null, id text not null, organization text not null,
  mode text not null, created bigint not null, updated bigint not null, secret text not null, digest text not null,
  primary key (realm, flow));
create unique index automation_forms_digest on automation_forms (digest);
create table automation_submissions (realm bigint not null, run text not null, flow text not null,
  created bigint not null, submission_key text not null, answers text not null, primary key (realm, run));
create unique index automation_submissions_key on automation_submissions (realm, flow, submission_key);
create index automation_submissions_flow on automation_submissions (realm, flow, run);
`,
}
