/** SQL of columns, their order and their tasks. All tasks of a column change in one statement. */
import type { Tenant } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { ColumnRow, ProjectRow, TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'

const findLast = query((db, p: Placeholder<{ realm: number; project: string }>) =>
  db
    .selectFrom('columns')
    .select((select) => select.fn.max('position').as('position'))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

/** The position after the last column of a project. */
export async function nextPosition(reader: Reader, { realm, id }: ProjectRow): Promise<number> {
  const last = (await reader.first(findLast, { realm, project: id }))?.position ?? 0
  return Math.min(last + limits.position_step, limits.position_max)
}

/** Refuses a write on a column of an archived project (contract/15#archived-projects). */
export async function requireActiveColumn(
  { tx, caller }: { readonly tx: Reader; readonly caller: Tenant },
  column: ColumnRow,
): Promise<void> {
  const project = await projectNoun.find(tx, caller, column.project)
  if (project !== undefined) requireActiveProject(project)
}

const findAmong = query((db, p: Placeholder<{ realm: number; project: string; ids: string }>, dialect) =>
  db
    .selectFrom('columns')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

/** The project's live columns with these ids, by id. */
export async function columnsNamed(
  reader: Reader,
  { realm, id }: ProjectRow,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ColumnRow>> {
  const rows = await reader.all(findAmong, { realm, project: id, ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, row]))
}

const findIds = query((db, p: Placeholder<{ realm: number; project: string }>) =>
  db
    .selectFrom('columns')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('deleted_at', 'is', null),
)

/** The ids of a project's live columns. */
export async function columnIds(reader: Reader, { realm, id }: ProjectRow): Promise<readonly string[]> {
  return (await reader.all(findIds, { realm, project: id })).map((column) => column.id)
}

/** A column's live tasks, oldest first. */
export const tasksIn = query<TaskRow, { realm: number; column: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('column', '=', p('column'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** Removes all tasks from the column. */
export const clearColumn = query((db, p: Placeholder<{ updated: number; realm: number; column: string }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ column: null, updated: p('updated'), revision: task('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('column', '=', p('column'))
    .where('deleted_at', 'is', null),
)
