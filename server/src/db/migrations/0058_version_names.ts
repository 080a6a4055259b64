import type { Migration } from '../migration.ts'

/** `name` is what people call an activated version of an automation; null without one. */
export const versionNames: Migration = {
  name: '0058_version_names',
  sql: `
alter table automation_versions add column name text;
`,
}
