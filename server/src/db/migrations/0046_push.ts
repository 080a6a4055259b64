import type { Migration } from './migration.ts'

/**
 * Notices that browsers show. A subscription is one browser of one person in an organization; its `id` is a digest of the address at
 * the push service, and `target` (address and keys) is sealed. `pushes` are notices on their way: one for each entry and subscription.
 * `preferences.push` is JSON: the kinds for which the person has chosen. `push_keys` holds the key pair of the installation (RFC 8292).
 */
export const push: Migration = {
  name: '0046_push',
  sql: `
alter table preferences add column push text not null default '{}';
create table push_keys (id text not null primary key, public_key text not null, private_key text not null,
  created bigint not null);
create table push_subscriptions (organization text not null, id text not null, "user" text not null,
  account text not null, session text not null, target text not null, user_agent text, created bigint not null,
  primary key (organization, id));
create index push_subscriptions_user on push_subscriptions (organization, "user", created);
create index push_subscriptions_session on push_subscriptions (session);
create table pushes (realm bigint not null, id text not null, organization text not null, "user" text not null,
  notification text not null, subscription text not null, status text not null, due_at bigint not null,
  attempts bigint not null, uncertain bigint not null, lease_owner text, lease_until bigint, error text,
  created bigint not null, updated bigint not null, primary key (realm, id));
create index pushes_due on pushes (due_at) where status = 'due';
create index pushes_sending on pushes (lease_until) where status = 'sending';
create index pushes_dead on pushes (updated) where status = 'dead';
create index pushes_age on pushes (updated);
`,
}
