/**
 * Changes and deletes projects with their tasks, columns and dependencies. Invariants: `is_archived` of a task equals the
 * state of its project; every changed object has its event in the same commit (contract/15#archived-projects).
 */

import type { EventType } from '../../api/declare/event.ts'
import { applyChange, markDeleted } from '../../api/write/change.ts'
import type { ProjectRow, TaskRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { automationFlowPaused } from '../automation_flows/events.ts'
import { pauseFlowsOfProject } from '../automation_flows/shared/queries.ts'
import { boardUpdated } from '../boards/events.ts'
import { detachBoards } from '../boards/shared/detach.ts'
import { showColumn } from '../columns/column.ts'
import { columnDeleted } from '../columns/events.ts'
import { showDependency } from '../dependencies/dependency.ts'
import { dependencyDeleted } from '../dependencies/events.ts'
import { taskMoved, taskUpdated } from '../tasks/events.ts'
import { showTask } from '../tasks/task.ts'
import { projectArchived, projectDeleted, projectUnarchived, projectUpdated } from './events.ts'
import { type Project, showProject } from './project.ts'
import {
  archiveTasks,
  columnsOf,
  deleteColumns,
  deleteDependencies,
  dependenciesIn,
  detachTasks,
  tasksOf,
} from './queries.ts'

/** The part of a write's context that these functions need. `now` is in milliseconds. */
export interface ProjectWork {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

/** Every event that `removeProject` may emit. */
export const projectDeleteEvents = [
  projectDeleted,
  columnDeleted,
  dependencyDeleted,
  taskMoved,
  automationFlowPaused,
  boardUpdated,
] as const

/** Changes a project. Archiving or restoring it also archives or restores its tasks. */
export async function changeProject(
  { tx, now, emit }: ProjectWork,
  project: ProjectRow,
  fields: Partial<ProjectRow>,
): Promise<Project> {
  const changesStatus = fields.status !== undefined && fields.status !== project.status
  const bound = { realm: project.realm, project: project.id }
  const tasks = changesStatus ? await tx.all(tasksOf, bound) : []
  const changed = applyChange(tx, 'projects', project, { ...fields }, now)
  if (changed === null) return showProject(project)
  emit(changeEvent(project, changed), showProject(changed), showProject(project))
  if (tasks.length > 0) {
    const is_archived = changed.status === 'archived' ? 1 : 0
    tx.write(archiveTasks, { ...bound, is_archived, updated: now })
    for (const task of tasks) emit(taskUpdated, showTask(changedRow(task, { is_archived }, now)), showTask(task))
  }
  return showProject(changed)
}

function changeEvent(before: ProjectRow, after: ProjectRow): EventType {
  if (before.status === after.status) return projectUpdated
  return after.status === 'archived' ? projectArchived : projectUnarchived
}

/** The row after the statement that changes all tasks. */
function changedRow(task: TaskRow, fields: Partial<TaskRow>, now: number): TaskRow {
  return { ...task, ...fields, updated: now, revision: task.revision + 1 }
}

/**
 * Deletes a project with its columns and the dependencies between its tasks. The tasks remain without project and column, its
 * active boards without project. Its active flows are paused.
 */
export async function removeProject({ tx, now, emit }: ProjectWork, project: ProjectRow): Promise<void> {
  const bound = { realm: project.realm, project: project.id }
  const columns = await tx.all(columnsOf, bound)
  const dependencies = await tx.all(dependenciesIn, bound)
  const tasks = await tx.all(tasksOf, bound)
  markDeleted(tx, 'projects', project, now)
  emit(projectDeleted, showProject(project))
  if (columns.length > 0) tx.write(deleteColumns, { ...bound, deleted_at: now })
  for (const column of columns) emit(columnDeleted, showColumn(column))
  if (dependencies.length > 0) tx.write(deleteDependencies, { ...bound, deleted_at: now })
  for (const dependency of dependencies) emit(dependencyDeleted, showDependency(dependency))
  if (tasks.length > 0) tx.write(detachTasks, { ...bound, updated: now })
  for (const task of tasks) {
    emit(taskMoved, showTask(changedRow(task, { project: null, column: null, is_archived: 0 }, now)), showTask(task))
  }
  await detachBoards({ tx, now, emit }, project)
  await pauseFlowsOfProject({ tx, now, emit }, project)
}
