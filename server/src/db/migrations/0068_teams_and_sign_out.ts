import type { Migration } from './migration.ts'

/**
 * `session_id_tokens`: the ID token with which an OpenID provider started a session, sealed, for the sign-out at the provider.
 *
 * People of teams. A removed membership stays as a tombstone, so that cursors at it stay valid. Teams can be deleted, and have the
 * id that an identity provider has for them.
 */
export const teamsAndSignOut: Migration = {
  name: '0068_teams_and_sign_out',
  sql: `
alter table teams add column external_id text;
alter table teams add column deleted_at bigint;
create unique index teams_external on teams (organization, external_id) where external_id is not null;
create table team_members (organization text not null, id text not null, created bigint not null, updated bigint not null,
  deleted_at bigint, team text not null, "user" text not null, primary key (organization, id));
create index team_members_team on team_members (organization, team, id);
create unique index team_members_user on team_members (organization, "user", team) where deleted_at is null;
create table session_id_tokens (session text not null primary key, organization text not null, token text not null,
  created bigint not null, expires_at bigint not null);
create index session_id_tokens_age on session_id_tokens (expires_at);
`,
}
