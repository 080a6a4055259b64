import type { Migration } from './migration.ts'

/** The projects that a guest sees: those that an owner or admin has chosen. `created_by` is that person. */
export const guests: Migration = {
  name: '0045_guests',
  sql: `
create table guest_projects (realm bigint not null, "user" text not null, project text not null,
  created bigint not null, created_by text, primary key (realm, "user", project));
create index guest_projects_project on guest_projects (realm, project, "user");
`,
}
