import type { Migration } from './migration.ts'

/** `preferences.favorites` is JSON: by mode the ids of the projects, boards and flows that the person keeps at hand, in their order. */
export const favorites: Migration = {
  name: '0070_favorites',
  sql: `
alter table preferences add column favorites text not null default '{}';
`,
}
