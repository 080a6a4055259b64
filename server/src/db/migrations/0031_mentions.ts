import type { Migration } from './migration.ts'

/** The people whom the texts of tasks and comments mention. Texts from before have no mentions: they had no form. */
export const mentions: Migration = {
  name: '0031_mentions',
  sql: `
alter table tasks add column mentions text not null default '[]';
alter table comments add column mentions text not null default '[]';
`,
}
