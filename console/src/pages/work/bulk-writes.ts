/**
 * Changes of many tasks through `POST /v1/tasks/bulk`: portions of one workspace, each all or nothing, sent one after the
 * other. Between two portions the job can be stopped. Undo writes the former values back, tasks with equal ones together.
 */
import { ApiError, type Atrium, type Task, type TasksBulkParams } from '@atrium/sdk'
import { inTurn } from '../../data/index.ts'

/** Tasks of one portion, the most that the API takes. */
export const bulk_tasks_max = 500

export type BulkSet = NonNullable<TasksBulkParams['set']>

export type BulkChange =
  | {
      readonly set?: BulkSet
      readonly add_labels?: readonly string[]
      readonly remove_labels?: readonly string[]
    }
  | { readonly delete: true }

/** What a job has written. */
export interface BulkResult {
  /** The tasks of the portions that were written, as they were before. */
  readonly before: readonly Task[]
  /** The same tasks afterwards; empty after a deletion. */
  readonly after: readonly Task[]
  /** The error of the first portion that was refused; it and the following ones changed nothing. */
  readonly error: unknown
  readonly isStopped: boolean
}

interface BulkWatch {
  /** Resolves when a portion begins to wait for the connection. The others then follow at once, so that all are kept. */
  readonly kept?: Promise<void>
  /** Reports how many tasks are written. */
  readonly onProgress?: (count: number) => void
  readonly isStopped?: () => boolean
}

/** Portions of one workspace each. */
export function portionsOf(tasks: readonly Task[], size = bulk_tasks_max): readonly (readonly Task[])[] {
  const workspaces = Map.groupBy(tasks, ({ workspace }) => workspace)
  return [...workspaces.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size)),
  )
}

/** Writes portion after portion. Never rejects: the result names the error of the first refused portion. */
export async function writeBulk(
  atrium: Atrium,
  tasks: readonly Task[],
  change: BulkChange,
  { kept = never, onProgress, isStopped }: BulkWatch = {},
): Promise<BulkResult> {
  let done: BulkResult = { before: [], after: [], error: null, isStopped: false }
  const jobs = portionsOf(tasks).map((portion) => async () => {
    if (done.error !== null || done.isStopped) return
    if (done.before.length > 0 && isStopped?.()) {
      done = { ...done, isStopped: true }
      return
    }
    const workspace = portion[0]?.workspace ?? ''
    try {
      const { data } = await atrium.tasks.bulk({ workspace, tasks: portion.map(({ id }) => id), ...change })
      const after = data.filter((each): each is Task => !('deleted' in each))
      done = { ...done, before: [...done.before, ...portion], after: [...done.after, ...after] }
      onProgress?.(done.before.length)
    } catch (error) {
      done = { ...done, error: done.error ?? error }
    }
  })
  await inTurn(jobs, kept)
  return done
}

const never = new Promise<void>(() => {})

/** The fields of `set` as a task had them, to write them back. */
type Former = (task: Task, now: Task | undefined) => BulkSet

/**
 * The former values of a change. A status that moved the task to another column comes back with the column, and a project
 * with the column that the task had there.
 */
function formerOf(change: BulkChange): Former {
  if ('delete' in change) return () => ({})
  const names = (Object.keys(change.set ?? {}) as (keyof BulkSet)[]).filter((name) => name !== 'custom_fields')
  // A write names only the changed custom fields.
  const keys = Object.keys(change.set?.custom_fields ?? {})
  const hasLabels = change.add_labels !== undefined || change.remove_labels !== undefined
  return (task, now) => {
    const own: [string, unknown][] = names.map((name) => [name, task[name as keyof Task]])
    if (keys.length > 0) {
      own.push(['custom_fields', Object.fromEntries(keys.map((key) => [key, task.custom_fields[key] ?? null]))])
    }
    const former: BulkSet = Object.fromEntries(hasLabels ? [...own, ['labels', task.labels]] : own)
    const isMoved = now !== undefined && (now.column !== task.column || now.project !== task.project)
    return isMoved ? { ...former, project: task.project, column: task.column } : former
  }
}

/** Writes former values back, one job for each group of equal ones. Rejects with the first error. */
export async function undoBulk(atrium: Atrium, { before, after }: BulkResult, change: BulkChange): Promise<null> {
  const former = formerOf(change)
  const now = new Map(after.map((task) => [task.id, task]))
  const groups = Map.groupBy(before, (task) => JSON.stringify(former(task, now.get(task.id))))
  for (const [set, tasks] of groups) {
    const fields = JSON.parse(set) as BulkSet
    let { error } = await writeBulk(atrium, tasks, { set: fields })
    if (error instanceof ApiError && error.param === 'set.status') {
      // The column has another status now than the tasks had in it. The status matters more.
      const { column: _, ...rest } = fields
      error = (await writeBulk(atrium, tasks, { set: rest })).error
    }
    if (error !== null) throw error
  }
  return null
}
