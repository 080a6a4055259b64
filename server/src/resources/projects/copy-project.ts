/** Copies a project with its columns, tasks and inner dependencies (contract/15#project-duplication). */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { ColumnRow, DependencyRow, ProjectRow, TaskRow, WorkspaceRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { showColumn } from '../columns/column.ts'
import { columnCreated } from '../columns/events.ts'
import { showDependency } from '../dependencies/dependency.ts'
import { dependencyCreated } from '../dependencies/events.ts'
import { taskCreated } from '../tasks/events.ts'
import { insertTask } from '../tasks/shared/insert.ts'
import { takeNumbers } from '../tasks/shared/queries.ts'
import { showTask } from '../tasks/task.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import type { ProjectWork } from './change-project.ts'
import { projectCreated } from './events.ts'
import { type Project, showProject } from './project.ts'
import { columnsOf, countColumns, countTasks, dependenciesIn, tasksOf } from './queries.ts'

interface DuplicateWork extends ProjectWork {
  readonly caller: Caller
}

interface Contents {
  readonly workspace: WorkspaceRow
  readonly columns: readonly ColumnRow[]
  readonly tasks: readonly TaskRow[]
  readonly dependencies: readonly DependencyRow[]
}

/** Every event that `copyProject` may emit. */
export const projectDuplicateEvents = [projectCreated, columnCreated, taskCreated, dependencyCreated] as const

/** `Copy of …`, cut to the maximum length of a name. */
export function nameOfCopy(name: string): string {
  return [...`Copy of ${name}`].slice(0, limits.title_chars_max).join('')
}

/** Creates an active copy. Tasks keep their status and get new numbers and keys; the caller is their creator. */
export async function copyProject(work: DuplicateWork, project: ProjectRow, name: string): Promise<Project> {
  const { tx, now, emit } = work
  const contents = await readContents(work, project)
  const copy = {
    ...project,
    ...newFields('prj', now),
    name,
    status: 'active',
    archived_at: null,
    duplicated_from: project.id,
  }
  tx.insert('projects', copy)
  const shown = showProject(copy)
  emit(projectCreated, shown)
  const columns = copyColumns(work, contents, copy.id)
  const tasks = copyTasks(work, contents, copy.id, columns)
  copyDependencies(work, contents, copy.id, tasks)
  return shown
}

/** The content of the project. Counts it first and refuses more than one answer may contain. */
async function readContents({ tx, caller }: DuplicateWork, project: ProjectRow): Promise<Contents> {
  const bound = { realm: project.realm, project: project.id }
  const columns = (await tx.first(countColumns, bound))?.count ?? 0
  const tasks = (await tx.first(countTasks, bound))?.count ?? 0
  if (columns + tasks > limits.duplicate_objects_max) {
    throw refuse('resource_conflict', {
      message: `A project of more than ${limits.duplicate_objects_max} columns and tasks cannot be duplicated; this one has ${columns + tasks}.`,
    })
  }
  const workspace = await workspaceNoun.find(tx, caller, project.workspace)
  if (workspace === undefined) throw new Error(`project ${project.id} has no workspace`)
  return {
    workspace,
    columns: await tx.all(columnsOf, bound),
    tasks: await tx.all(tasksOf, bound),
    dependencies: await tx.all(dependenciesIn, bound),
  }
}

function newFields(prefix: string, now: number) {
  return { id: newId(prefix, now), created: now, updated: now, revision: 1, deleted_at: null }
}

/** New ids by old ones. */
type Copies = ReadonlyMap<string, string>

function copyColumns({ tx, now, emit }: DuplicateWork, { columns }: Contents, project: string): Copies {
  const copies = new Map<string, string>()
  for (const column of columns) {
    const row = { ...column, ...newFields('col', now), project }
    copies.set(column.id, row.id)
    tx.insert('columns', row)
    emit(columnCreated, showColumn(row))
  }
  return copies
}

function copyTasks(work: DuplicateWork, { workspace, tasks }: Contents, project: string, columns: Copies): Copies {
  const { tx, caller, now, emit } = work
  const copies = new Map<string, string>()
  if (tasks.length === 0) return copies
  let number = takeNumbers(tx, workspace, tasks.length)
  for (const task of tasks) copies.set(task.id, newId('tsk', now))
  const counts = countSubtasks(tasks)
  for (const task of tasks) {
    const row: TaskRow = {
      ...task,
      ...newFields('tsk', now),
      id: copies.get(task.id) as string,
      number,
      key: `${workspace.key}-${number}`,
      project,
      column: task.column === null ? null : (columns.get(task.column) ?? null),
      creator_type: caller.owner.type,
      creator_id: caller.owner.id,
      is_archived: 0,
      // Attached files stay with the original.
      attachments: '[]',
      parent: task.parent === null ? null : (copies.get(task.parent) ?? null),
      subtask_count: 0,
      subtask_done_count: 0,
      ...counts.get(task.id),
    }
    number++
    insertTask(tx, row)
    emit(taskCreated, showTask(row))
  }
  return copies
}

/** The subtasks of each task inside the project; parents outside of it are not copied. */
function countSubtasks(tasks: readonly TaskRow[]) {
  const counts = new Map<string, Pick<TaskRow, 'subtask_count' | 'subtask_done_count'>>()
  for (const { parent, status } of tasks) {
    if (parent === null) continue
    const { subtask_count, subtask_done_count } = counts.get(parent) ?? { subtask_count: 0, subtask_done_count: 0 }
    const done = status === 'done' ? 1 : 0
    counts.set(parent, { subtask_count: subtask_count + 1, subtask_done_count: subtask_done_count + done })
  }
  return counts
}

function copyDependencies(work: DuplicateWork, { dependencies }: Contents, project: string, tasks: Copies): void {
  const { tx, caller, now, emit } = work
  for (const dependency of dependencies) {
    const from = tasks.get(dependency.from)
    const to = tasks.get(dependency.to)
    if (from === undefined || to === undefined) continue
    const creator = { creator_type: caller.owner.type, creator_id: caller.owner.id }
    const row = { ...dependency, ...newFields('dep', now), ...creator, project, from, to }
    tx.insert('dependencies', row)
    emit(dependencyCreated, showDependency(row))
  }
}
