import type { Migration } from './migration.ts'

/** The project of a board. The index finds the boards of a project, newest first. */
export const boardProjects: Migration = {
  name: '0040_board_projects',
  sql: `
alter table boards add column project text;
create index boards_project on boards (realm, project, id) where project is not null;
`,
}
