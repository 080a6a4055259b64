import type { Migration } from './migration.ts'

/**
 * Provisioning by SCIM: the tokens of identity providers, found by the digests of their secrets, and what providers say of
 * people besides the member's own fields. A person with `deleted_at` is missing for providers until one creates it again.
 */
export const scim: Migration = {
  name: '0060_scim',
  sql: `
create table scim_tokens (id text not null primary key, organization text not null, name text not null,
  digest text not null, hint text not null, created bigint not null, created_by text not null, last_used_at bigint);
create unique index scim_tokens_digest on scim_tokens (digest);
create index scim_tokens_organization on scim_tokens (organization, id);
create table scim_people (organization text not null, "user" text not null, external_id text, updated bigint not null,
  deleted_at bigint, primary key (organization, "user"));
create unique index scim_people_external on scim_people (organization, external_id) where external_id is not null;
`,
}
