import type { Migration } from './migration.ts'

/**
 * Incoming webhooks: the address of a flow, found by the digest of its secret, and the requests that started runs. A request
 * is deleted with its run; until then its key starts no other.
 */
export const hooks: Migration = {
  name: '0044_hooks',
  sql: `
create table automation_hooks (realm bigint not null, flow text not null, id text not null, organization text not null,
  mode text not null, created bigint not null, updated bigint not null, secret text not null, digest text not null,
  primary key (realm, flow));
create unique index automation_hooks_digest on automation_hooks (digest);
create table automation_hook_requests (realm bigint not null, run text not null, flow text not null,
  created bigint not null, request_key text, request text not null, primary key (realm, run));
create unique index automation_hook_requests_key on automation_hook_requests (realm, flow, request_key)
  where request_key is not null;
create index automation_hook_requests_flow on automation_hook_requests (realm, flow, run);
`,
}
