import type { Migration } from './migration.ts'

/**
 * What people choose for themselves in an organization: time zone, language of dates, first day of the week, and how mail reaches
 * them. `null` means not chosen; `mail` is JSON.
 */
export const preferences: Migration = {
  name: '0034_preferences',
  sql: `
create table preferences (organization text not null, "user" text not null, time_zone text, language text,
  week_starts_on bigint, mail text not null, quiet_from bigint, quiet_to bigint, created bigint not null,
  updated bigint not null, primary key (organization, "user"));
`,
}
