import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Applications that people registered, with the scopes that their access tokens may have. */
export const applications: Migration = {
  name: '0012_applications',
  sql: `
create table applications (${resource_columns}, organization text not null, name text not null, scopes text not null,
  primary key (realm, id));
create index credentials_owner on credentials (realm, owner_id, id) where kind = 'access_token';
`,
}
