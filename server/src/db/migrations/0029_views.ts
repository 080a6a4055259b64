import type { Migration } from './migration.ts'

/**
 * Saved filters as views: layout, groups, columns, a pin. `audience` is `team`, or the user who alone sees a private one, so
 * that one index condition finds what a person may see.
 */
export const views: Migration = {
  name: '0029_views',
  sql: `
alter table saved_filters add column audience text not null default 'team';
alter table saved_filters add column layout text not null default 'list';
alter table saved_filters add column group_by text;
alter table saved_filters add column columns text;
alter table saved_filters add column pinned bigint not null default 0;
update saved_filters set audience = created_by where visibility <> 'team';
`,
}
