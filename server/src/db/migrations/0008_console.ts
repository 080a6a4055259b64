import type { Migration } from './migration.ts'

/** Accounts of people, which belong to the installation, with memberships, passkeys and sessions, and sign-in links. */
export const consoleTables: Migration = {
  name: '0008_console',
  sql: `
create table accounts (id text not null primary key, email text not null, password_hash text not null,
  password_changed_at bigint not null, created bigint not null, updated bigint not null);
create unique index accounts_email on accounts (email);
create table account_memberships (organization text not null, account text not null, "user" text not null,
  role text not null, created bigint not null, updated bigint not null, primary key (organization, account));
create unique index account_memberships_user on account_memberships (organization, "user");
create index account_memberships_account on account_memberships (account);
create table account_links (id text not null primary key, organization text not null, kind text not null,
  digest text not null, "user" text not null, email text not null, role text not null, created bigint not null,
  created_by text, expires_at bigint not null, used_at bigint);
create unique index account_links_digest on account_links (digest);
create index account_links_organization on account_links (organization, id);
create index account_links_age on account_links (expires_at);
create table passkeys (id text not null primary key, account text not null, name text not null, credential text not null,
  public_key text not null, counter bigint not null, transports text not null, created bigint not null,
  last_used_at bigint);
create unique index passkeys_credential on passkeys (credential);
create index passkeys_account on passkeys (account, id);
create table passkey_challenges (challenge text not null primary key, expires_at bigint not null);
create index passkey_challenges_age on passkey_challenges (expires_at);
create table sessions (id text not null primary key, organization text not null, account text not null,
  "user" text not null, created bigint not null, last_seen bigint not null, expires_at bigint not null,
  stepped_up_at bigint not null, ended_at bigint, ip text not null, user_agent text);
create index sessions_account on sessions (account, id);
create index sessions_age on sessions (expires_at);
create table session_cookies (digest text not null primary key, organization text not null, session text not null,
  created bigint not null, replaced_at bigint, expires_at bigint not null);
create index session_cookies_session on session_cookies (session);
create index session_cookies_age on session_cookies (expires_at);
create table session_tokens (digest text not null primary key, organization text not null, session text not null,
  realm bigint not null, mode text not null, manage bigint not null, created bigint not null, expires_at bigint not null);
create index session_tokens_session on session_tokens (session);
create index session_tokens_age on session_tokens (expires_at);
create table sign_in_failures (subject text not null primary key, failures bigint not null, since bigint not null);
create index sign_in_failures_age on sign_in_failures (since);
`,
}
