import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Custom fields: the keys of tasks' `custom_fields` that a workspace gives a type. `options` is a JSON list. */
export const customFields: Migration = {
  name: '0021_custom_fields',
  sql: `
create table custom_fields (${resource_columns}, workspace text not null, key text not null, name text not null,
  type text not null, options text not null, position double precision not null, primary key (realm, id));
create index custom_fields_workspace on custom_fields (realm, workspace, id);
create unique index custom_fields_key on custom_fields (realm, key, workspace) where deleted_at is null;
`,
}
