/**
 * SQL of a project and its content. A change of all columns, tasks or dependencies is one statement, because a project may
 * contain many.
 */
import { type Placeholder, query } from '../../db/query.ts'
import type { ColumnRow, DependencyRow, TaskRow } from '../../db/schema.ts'

/** A project's live columns, oldest first. */
export const columnsOf = query<ColumnRow, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('columns')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** A project's live tasks, oldest first. */
export const tasksOf = query<TaskRow, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** The live dependencies between a project's tasks, oldest first. Found by index through the tasks. */
export const dependenciesIn = query<DependencyRow, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('dependencies')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('from', 'in', (tasks) =>
      tasks.selectFrom('tasks').select('id').where('realm', '=', p('realm')).where('project', '=', p('project')),
    )
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

export const countColumns = query<{ count: number }, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('columns')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

export const countTasks = query<{ count: number }, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

export const deleteColumns = query(
  (db, p: Placeholder<{ deleted_at: number | null; realm: number; project: string }>) =>
    db
      .updateTable('columns')
      .set({ deleted_at: p('deleted_at') })
      .where('realm', '=', p('realm'))
      .where('project', '=', p('project'))
      .where('deleted_at', 'is', null),
)

/** Must run before the tasks leave the project, because it finds the dependencies through them. */
export const deleteDependencies = query(
  (db, p: Placeholder<{ deleted_at: number | null; realm: number; project: string }>) =>
    db
      .updateTable('dependencies')
      .set({ deleted_at: p('deleted_at') })
      .where('realm', '=', p('realm'))
      .where('from', 'in', (tasks) =>
        tasks.selectFrom('tasks').select('id').where('realm', '=', p('realm')).where('project', '=', p('project')),
      )
      .where('deleted_at', 'is', null),
)

export const archiveTasks = query(
  (db, p: Placeholder<{ is_archived: number; updated: number; realm: number; project: string }>) =>
    db
      .updateTable('tasks')
      .set((task) => ({ is_archived: p('is_archived'), updated: p('updated'), revision: task('revision', '+', 1) }))
      .where('realm', '=', p('realm'))
      .where('project', '=', p('project'))
      .where('deleted_at', 'is', null),
)

/** Removes all tasks from the project. */
export const detachTasks = query((db, p: Placeholder<{ updated: number; realm: number; project: string }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({
      project: null,
      column: null,
      is_archived: 0,
      updated: p('updated'),
      revision: task('revision', '+', 1),
    }))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)
