import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/**
 * Comments at places of boards. `thread` is the first comment of the thread, of a first comment its own id; only a first
 * comment has a place. `x` and `y` are a point of the canvas, or of `element` measured from its left top corner.
 */
export const boardComments: Migration = {
  name: '0047_board_comments',
  sql: `
create table board_comments (${resource_columns}, board text not null, thread text not null,
  x double precision, y double precision, element text, body text not null, mentions text not null,
  author_type text not null, author_id text not null, edited_at bigint, resolved_at bigint, resolved_by text,
  primary key (realm, id));
create index board_comments_board on board_comments (realm, board, id);
create index board_comments_thread on board_comments (realm, thread, id);
`,
}
