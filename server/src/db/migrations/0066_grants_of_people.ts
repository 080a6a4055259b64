import type { Migration } from './migration.ts'

/** Owners see the grants of all people of an organization, the newest first. */
export const grantsOfPeople: Migration = {
  name: '0066_grants_of_people',
  sql: `
create index oauth_grants_organization on oauth_grants (organization, id);
`,
}
