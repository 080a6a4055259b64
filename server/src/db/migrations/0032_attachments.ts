import type { Migration } from './migration.ts'

/**
 * Files attached to tasks, comments and expenses. The object's column holds the ids in order, as JSON; `file_attachments` has
 * the same pairs by file.
 */
export const attachments: Migration = {
  name: '0032_attachments',
  sql: `
alter table tasks add column attachments text not null default '[]';
alter table comments add column attachments text not null default '[]';
alter table expenses add column receipts text not null default '[]';
create table file_attachments (realm bigint not null, file text not null, object text not null, id text not null,
  primary key (realm, file, object, id));
`,
}
