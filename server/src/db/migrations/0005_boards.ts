import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Boards, their members, and the published revisions of their items. */
export const boards: Migration = {
  name: '0005_boards',
  sql: `
create table boards (${resource_columns}, name text not null, description text, owner text not null, status text not null,
  archived_at bigint, legacy_room_id text, member_count bigint not null, item_count bigint not null,
  snapshot_revision bigint not null, snapshot_published_at bigint, primary key (realm, id));
create index boards_room on boards (realm, legacy_room_id);
create table board_members (${resource_columns}, board text not null, "user" text not null, role text not null,
  primary key (realm, id));
create index board_members_board on board_members (realm, board, id);
create unique index board_members_user on board_members (realm, board, "user") where deleted_at is null;
create table board_snapshots (realm bigint not null, board text not null, revision bigint not null,
  published_at bigint not null, superseded_at bigint, primary key (realm, board, revision));
create index board_snapshots_age on board_snapshots (superseded_at);
create table board_elements (realm bigint not null, board text not null, element text not null, item text not null,
  created bigint not null, primary key (realm, board, element));
create table board_items (realm bigint not null, board text not null, id text not null, since_revision bigint not null,
  until_revision bigint, superseded_at bigint, created bigint not null, updated bigint not null, place bigint not null,
  asset text, content text not null, primary key (realm, board, id, since_revision));
create index board_items_place on board_items (realm, board, place);
create index board_items_asset on board_items (realm, asset);
create index board_items_age on board_items (superseded_at);
create table board_assets (realm bigint not null, sha256 text not null, media_type text not null,
  size_bytes bigint not null, offered_at bigint not null, bytes text not null, primary key (realm, sha256));
create index board_assets_age on board_assets (offered_at);
`,
}
