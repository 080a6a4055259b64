import type { Migration } from './migration.ts'

/**
 * Sign-in by OpenID Connect: which account a provider's subject signs in to, and sign-ins on their way to a provider.
 * `sessions.provider` is the provider that started a session.
 */
export const openid: Migration = {
  name: '0038_openid',
  sql: `
create table account_identities (organization text not null, issuer text not null, subject text not null,
  account text not null, "user" text not null, created bigint not null, last_used_at bigint not null,
  primary key (organization, issuer, subject));
create index account_identities_account on account_identities (account);
create index account_identities_user on account_identities (organization, "user");
create table sign_in_flows (state text not null primary key, browser text not null, provider text not null,
  session text, next text not null, created bigint not null, expires_at bigint not null);
create index sign_in_flows_age on sign_in_flows (expires_at);
alter table sessions add column provider text;
`,
}
