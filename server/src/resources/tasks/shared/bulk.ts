/**
 * Changes and deletes many tasks of a workspace in one commit (contract/15#task-bulk). Every check of a change comes before
 * the first write; the tasks are written in the order sent, and their parents last.
 */
import { Refusal, refuse } from '../../../api/declare/errors.ts'
import { findById } from '../../../api/declare/noun.ts'
import { limits } from '../../../api/limits.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { showTask, type Task, type TaskChanges, taskNoun } from '../task.ts'
import { type PlannedChange, planChange, requireActive, sharedPlan, writeChange, writeDelete } from './change.ts'
import { SubtaskCounts } from './subtasks.ts'
import type { TaskWork } from './work.ts'

export interface LabelChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

type DeletedTask = { id: string; object: 'task'; deleted: true }

/** The answers in the order sent, and the ids of the tasks that changed. */
interface BulkResult {
  readonly answers: (Task | DeletedTask)[]
  readonly changed: readonly string[]
}

/** The live tasks of the workspace with these ids or keys. Refuses any other and a repeated one with `tasks[i]`. */
export async function findBulkTasks(
  { tx, caller }: Pick<TaskWork, 'tx' | 'caller'>,
  workspace: string,
  sent: readonly string[],
): Promise<TaskRow[]> {
  const rows = await Promise.all(sent.map((id) => taskNoun.find(tx, caller, id)))
  const seen = new Set<string>()
  return rows.map((row, i) => {
    const param = `tasks[${i}]`
    if (row === undefined || row.deleted_at !== null || row.workspace !== workspace) {
      const message = `${param} "${sent[i]}" names no task of the workspace.`
      throw refuse('invalid_request_body', { param, message })
    }
    if (seen.has(row.id)) {
      throw refuse('invalid_request_body', { param, message: `${param} "${sent[i]}" repeats a task. Send each once.` })
    }
    seen.add(row.id)
    return row
  })
}

/** Changes tasks of one workspace. Refusals name the fields with `set.` before them. */
export async function changeTasks(
  work: TaskWork,
  tasks: readonly TaskRow[],
  set: TaskChanges,
  labels: LabelChange,
): Promise<BulkResult> {
  const shared = sharedPlan(work, tasks[0]?.workspace ?? '')
  const planned: PlannedChange[] = []
  for (const [i, task] of tasks.entries()) {
    requireActiveAt(task, i)
    planned.push(await planChange(work, task, { ...set, ...labelsOf(task, set, labels) }, 'set.', { shared }))
  }
  const counts = new SubtaskCounts()
  const written = tasks.map((task, i) => writeChange(work, task, planned[i] as PlannedChange, counts))
  const parents = new Map((await counts.write(work)).map((row) => [row.id, row]))
  const answers = tasks.map((task, i) => {
    const parent = parents.get(task.id)
    return parent === undefined ? (written[i]?.shown ?? showTask(task)) : showTask(parent)
  })
  return { answers, changed: written.flatMap((each) => (each === null ? [] : [each.row.id])) }
}

/** Names the task in the refusal. */
function requireActiveAt(task: TaskRow, i: number): void {
  try {
    requireActive(task)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse(error.code, { ...error.options, param: `tasks[${i}]` })
  }
}

/** Removed labels leave, added ones come last in the order sent. */
function labelsOf(task: TaskRow, set: TaskChanges, { add, remove }: LabelChange): Pick<TaskChanges, 'labels'> {
  if (add.length === 0 && remove.length === 0) return {}
  const current = set.labels ?? (JSON.parse(task.labels) as string[])
  const labels = [...new Set([...current.filter((label) => !remove.includes(label)), ...add])]
  if (labels.length <= limits.labels_max) return { labels }
  const message = `With add_labels the task ${task.key} would have ${labels.length} labels; at most ${limits.labels_max} are allowed.`
  throw refuse('invalid_request_body', { param: 'add_labels', message })
}

const byId = findById('tasks')

/** Deletes tasks with their comments and dependencies, and detaches their children. */
export async function deleteTasks(work: TaskWork, tasks: readonly TaskRow[]): Promise<BulkResult> {
  const { tx, caller } = work
  for (const [i, task] of tasks.entries()) requireActiveAt(task, i)
  const counts = new SubtaskCounts()
  for (const task of tasks) {
    // A parent that was deleted before has changed its children.
    const current = task.parent === null ? task : await tx.first(byId, { realm: caller.realm, id: task.id })
    await writeDelete(work, current ?? task, counts)
  }
  await counts.write(work)
  const answers = tasks.map(({ id }): DeletedTask => ({ id, object: 'task', deleted: true }))
  return { answers, changed: tasks.map(({ id }) => id) }
}
