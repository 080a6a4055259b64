import type { Migration } from './migration.ts'

/**
 * An index of every three characters in a row of the tasks' texts (`tasks/text-grams.ts`). A worker fills it from the tasks
 * and then follows the event log, so a migration of many tasks does not delay the start. A gram contains its realm.
 */
const common = `
create table text_positions (realm bigint not null primary key, sequence bigint not null, walked text,
  looked_at bigint not null);
create table text_documents (realm bigint not null, task text not null, document bigint not null, digest text not null,
  primary key (realm, task));
create unique index text_documents_document on text_documents (document);
`

export const textIndex: Migration = {
  name: '0015_text_index',
  sql: {
    sqlite: `${common}
create virtual table text_grams using fts5 (grams, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');
`,
    postgres: `${common}
create table text_grams (document bigint not null primary key, grams bigint[] not null);
create index text_grams_grams on text_grams using gin (grams) with (gin_pending_list_limit = 256);
`,
  },
}
