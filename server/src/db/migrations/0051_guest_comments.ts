import type { Migration } from './migration.ts'

/**
 * What guests of links leave on a board besides strokes: `guest` is the name of the guest who wrote a comment, and the id of the
 * guest who added an image; null of other people. `guest_key` names the request that wrote a comment, so that it is written once.
 */
export const guestComments: Migration = {
  name: '0051_guest_comments',
  sql: `
alter table board_comments add column guest text;
alter table board_comments add column guest_key text;
create unique index board_comments_guest_key on board_comments (realm, guest_key) where guest_key is not null;
alter table board_images add column guest text;
`,
}
