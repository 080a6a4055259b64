import type { Migration } from '../migration.ts'

/**
 * People of teams. A removed membership stays as a tombstone, so that cursors at it stay valid. Teams can be deleted, and have the
 * id that an identity provider has for them.
 */
export const teamMembers: Migration = {
  name: '0068_team_members',
  sql: `
alter table teams add column external_id text;
alter table teams add column deleted_at bigint;
create unique index teams_external on teams (organization, external_id) where external_id is not null;
create table team_members (organization text not null, id text not null, created bigint not null, updated bigint not null,
  deleted_at bigint, team text not null, "user" text not null, primary key (organization, id));
create index team_members_team on team_members (organization, team, id);
create unique index team_members_user on team_members (organization, "user", team) where deleted_at is null;
`,
}
