import type { Migration } from './migration.ts'

/** Previews of images: the key of a content's preview, and when one was made or found to be impossible. */
export const previews: Migration = {
  name: '0037_previews',
  sql: `
alter table file_contents add column preview_key text;
alter table file_contents add column previewed_at bigint;
create index file_contents_waiting on file_contents (realm, sha256) where previewed_at is null;
`,
}
