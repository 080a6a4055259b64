import type { Migration } from './migration.ts'

/**
 * The index of search (`search/`). A worker fills it from the objects and then follows the event log. Documents are numbered in
 * the order of results, newest last. SQLite keeps the words in a full-text index. PostgreSQL keeps them as text, compared under
 * row-level security, and finds candidates by hashes, which contain the realm.
 */
const common = `
create table search_positions (realm bigint not null primary key, sequence bigint not null, event text, walked text,
  generation bigint not null, complete bigint not null, looked_at bigint not null);
create table search_documents (realm bigint not null, object text not null, type text not null, workspace text,
  document bigint not null, digest text not null, generation bigint not null, title_words text, body_words text,
  primary key (realm, object));
create unique index search_documents_document on search_documents (document);
create index search_documents_newest on search_documents (realm, document);
`

export const search: Migration = {
  name: '0022_search',
  sql: {
    sqlite: `${common}
create virtual table search_words using fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii',
  prefix = '8 9 10 11 12 13 14 15');
`,
    postgres: `${common}
create table search_hashes (document bigint not null primary key, hashes bigint[] not null);
create index search_hashes_hashes on search_hashes using gin (hashes) with (gin_pending_list_limit = 256);
`,
  },
}
