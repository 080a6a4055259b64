import type { Migration } from './migration.ts'

/**
 * PostgreSQL counts COALESCE among what may reveal rows, so under row-level security no query could use `tasks_order`. CASE is
 * not. SQLite keeps its index.
 */
export const listOrder: Migration = {
  name: '0023_list_order',
  sql: {
    sqlite: '',
    postgres: `
drop index tasks_order;
create index tasks_order on tasks (realm, (case when "column" is not null then "column"
  when project is not null then project else workspace end), position, id) where deleted_at is null;
`,
  },
}
