import type { Migration } from './migration.ts'

/**
 * What every write changes lies beside the rows of its realm, so that Citus keeps both on one shard: the ends of event logs
 * leave the list of realms, and audit heads name their organization's live realm. The indexes of texts name their realm as
 * `shard`: their rows are not under row-level security, which would keep PostgreSQL from using the indexes.
 */
const common = `
create table event_heads (realm bigint not null primary key, sequence bigint not null);
insert into event_heads (realm, sequence) select realm, event_sequence from realms;
alter table realms drop column event_sequence;
alter table audit_heads add column home bigint not null default 0;
update audit_heads set home = coalesce((select realm from realms
  where realms.organization = audit_heads.organization and realms.mode = 'live'), 0);
`

export const shards: Migration = {
  name: '0024_shards',
  sql: {
    sqlite: common,
    postgres: `${common}
alter table text_grams add column shard bigint not null default 0;
update text_grams set shard = text_documents.realm from text_documents where text_documents.document = text_grams.document;
alter table search_hashes add column shard bigint not null default 0;
update search_hashes set shard = search_documents.realm from search_documents
  where search_documents.document = search_hashes.document;
`,
  },
}
