import type { Migration } from './migration.ts'

/**
 * Applications that people sign in to with their account here (OAuth 2): clients, the codes of people who have just allowed one,
 * and grants. Clients, codes and tokens are found by ids and digests alone. `credentials.oauth_grant` is the grant of an access
 * token; null for a token that was issued without a person.
 */
export const oauth: Migration = {
  name: '0056_oauth',
  sql: `
create table oauth_clients (id text not null primary key, organization text, realm bigint, mode text, name text not null,
  kind text not null, scopes text not null, redirect_uris text not null, digest text, hint text,
  created bigint not null, updated bigint not null, expires_at bigint);
create index oauth_clients_age on oauth_clients (expires_at);
create index oauth_clients_realm on oauth_clients (realm);
create table oauth_codes (digest text not null primary key, organization text not null, realm bigint not null,
  mode text not null, client text not null, "user" text not null, scopes text not null, redirect_uri text not null,
  challenge text not null, resource text, created bigint not null, expires_at bigint not null);
create index oauth_codes_age on oauth_codes (expires_at);
create index oauth_codes_client on oauth_codes (client);
create table oauth_grants (id text not null primary key, organization text not null, realm bigint not null,
  mode text not null, client text not null, client_name text not null, "user" text not null, scopes text not null,
  resource text, credential text not null, code_digest text not null, refresh_digest text not null,
  created bigint not null, last_used_at bigint not null, expires_at bigint not null);
create unique index oauth_grants_code on oauth_grants (code_digest);
create index oauth_grants_user on oauth_grants (organization, "user", id);
create index oauth_grants_client on oauth_grants (client, id);
create index oauth_grants_age on oauth_grants (expires_at);
alter table credentials add column oauth_grant text;
`,
}
