import type { Migration } from './migration.ts'

/**
 * `name` is what people call an activated version of an automation; null without one. `answer` is what a model said to an attempt of
 * an AI step, also if the answer did not fit; null without an answer, and of attempts before this migration.
 */
export const versionNames: Migration = {
  name: '0058_version_names',
  sql: `
alter table automation_versions add column name text;
alter table automation_attempts add column answer text;
`,
}
