import type { Migration } from './migration.ts'

/**
 * Boards that people draw on. `board_scenes` has the elements of a board up to operation `folded`; `board_operations` has what
 * followed, up to `head`, and for some time what came before. `pending_since` is the time of the first change that no published
 * snapshot shows. `board_versions` is the history; `board_images` names the image of each file of a drawing.
 */
export const whiteboards: Migration = {
  name: '0036_whiteboards',
  sql: `
create table board_scenes (realm bigint not null, board text not null, head bigint not null, changed_at bigint not null,
  pending_since bigint, folded bigint not null, elements text not null, primary key (realm, board));
create index board_scenes_pending on board_scenes (pending_since) where pending_since is not null;
create table board_operations (realm bigint not null, board text not null, sequence bigint not null,
  created bigint not null, author text not null, elements text not null, primary key (realm, board, sequence));
create table board_versions (realm bigint not null, board text not null, sequence bigint not null,
  created bigint not null, name text, author text, item_count bigint not null, elements text not null,
  primary key (realm, board, sequence));
create table board_images (realm bigint not null, board text not null, file text not null, sha256 text not null,
  created bigint not null, primary key (realm, board, file));
create index board_images_sha256 on board_images (realm, sha256);
`,
}
