import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/**
 * Files. `file_contents` has one row for each content of a realm, however many files have it, and names the key under which it
 * is stored; `unreferenced_at` is when the last of them was deleted. `file_totals` holds the bytes of a realm's files.
 */
export const files: Migration = {
  name: '0026_files',
  sql: `
create table files (${resource_columns}, workspace text not null, name text not null, content_type text not null,
  bytes bigint not null, sha256 text not null, width bigint, height bigint, creator_type text not null,
  creator_id text not null, primary key (realm, id));
create index files_workspace on files (realm, workspace, id);
create index files_sha256 on files (realm, sha256) where deleted_at is null;
create table file_contents (realm bigint not null, sha256 text not null, bytes bigint not null, key text not null,
  unreferenced_at bigint, primary key (realm, sha256));
create index file_contents_unreferenced on file_contents (unreferenced_at) where unreferenced_at is not null;
create table file_totals (realm bigint not null primary key, bytes bigint not null);
`,
}
