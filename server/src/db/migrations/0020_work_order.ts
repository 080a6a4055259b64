import type { Migration } from './migration.ts'

/**
 * The start and the parent of tasks, the counts of their subtasks, and the status of columns. `tasks_order` holds each
 * list that is ordered by hand: the tasks of a column, and those without one of a project or, without either, a workspace.
 */
export const workOrder: Migration = {
  name: '0020_work_order',
  sql: `
alter table tasks add column start_at bigint;
alter table tasks add column parent text;
alter table tasks add column subtask_count bigint not null default 0;
alter table tasks add column subtask_done_count bigint not null default 0;
alter table columns add column status text;
create index tasks_start on tasks (realm, start_at, id);
create index tasks_parent on tasks (realm, parent, id) where parent is not null;
create index tasks_order on tasks (realm, coalesce("column", project, workspace), position, id)
  where deleted_at is null;
`,
}
