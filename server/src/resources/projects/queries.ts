/**
 * All SQL about a project and what is in it. Whatever happens to all of it is one statement, however much there is;
 * every query binds `realm` and `project`.
 */
import { type Query, query } from '../../db/query.ts'
import type { ColumnRow, DependencyRow, TaskRow } from '../../db/schema.ts'

/** A project's live columns, oldest first. */
export const columnsOf: Query<ColumnRow> = query((db, p) =>
  db
    .selectFrom('columns')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** A project's live tasks, oldest first. */
export const tasksOf: Query<TaskRow> = query((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** The live dependencies between a project's tasks, oldest first: found through the tasks, by index. */
export const dependenciesIn: Query<DependencyRow> = query((db, p) =>
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

export const countColumns: Query<{ count: number }> = query((db, p) =>
  db
    .selectFrom('columns')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

export const countTasks: Query<{ count: number }> = query((db, p) =>
  db
    .selectFrom('tasks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

/** Binds `deleted_at` too. */
export const buryColumns: Query<unknown> = query((db, p) =>
  db
    .updateTable('columns')
    .set({ deleted_at: p('deleted_at') })
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

/** Binds `deleted_at` too. Runs before the tasks leave the project, through which it finds the dependencies. */
export const buryDependencies: Query<unknown> = query((db, p) =>
  db
    .updateTable('dependencies')
    .set({ deleted_at: p('deleted_at') })
    .where('realm', '=', p('realm'))
    .where('from', 'in', (tasks) =>
      tasks.selectFrom('tasks').select('id').where('realm', '=', p('realm')).where('project', '=', p('project')),
    )
    .where('deleted_at', 'is', null),
)

/** Binds `is_archived` and `updated` too. */
export const archiveTasks: Query<unknown> = query((db, p) =>
  db
    .updateTable('tasks')
    .set((task) => ({ is_archived: p('is_archived'), updated: p('updated'), revision: task('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

/** Takes the tasks out of the project. Binds `updated` too. */
export const detachTasks: Query<unknown> = query((db, p) =>
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
