import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/**
 * Links for guests to one board, and the guests who came by them. Both are found by the digest of a secret alone. `creator_type`
 * is `user` for a person, else the kind of the credential. `board_versions.guest` is the name of the guest who drew last.
 */
export const boardLinks: Migration = {
  name: '0049_board_links',
  sql: `
create table board_links (${resource_columns}, organization text not null, mode text not null, board text not null,
  name text not null, role text not null, digest text not null, expires_at bigint not null, creator_type text not null,
  creator_id text not null, last_used_at bigint, primary key (realm, id));
create unique index board_links_digest on board_links (digest);
create index board_links_board on board_links (realm, board, id);
create table board_guests (realm bigint not null, id text not null, created bigint not null, expires_at bigint not null,
  organization text not null, link text not null, name text not null, digest text not null, primary key (realm, id));
create unique index board_guests_digest on board_guests (digest);
create index board_guests_link on board_guests (realm, link, created);
create index board_guests_age on board_guests (expires_at);
alter table board_versions add column guest text;
`,
}
