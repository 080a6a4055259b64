/** What an effect acts on: the transaction, the flow's authority, and the task that a setting names. */
import { refuse } from '../../../api/declare/errors.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { TaskWork } from '../../tasks/shared/create.ts'
import { taskNoun } from '../../tasks/task.ts'

/** The context of an effect: `caller` is the automation, `subject` the id of the run's task. */
export interface EffectContext extends TaskWork {
  readonly workspace: string
  /** The project of the flow; null for all of the workspace. */
  readonly project: string | null
  readonly subject: string | null
  /** The row of that task if this transaction has already read it. */
  readonly row: TaskRow | undefined
}

/** The live task that a step acts on: the run's own unless it names another. */
export async function taskOf({ tx, caller, subject, row }: EffectContext, named: string | undefined): Promise<TaskRow> {
  const id = named === undefined || named === '$subject' ? subject : named
  if (id === null)
    throw refuse('invalid_request_body', { param: 'task', message: 'The run has no task. Name one in `task`.' })
  const task = id === row?.id ? row : await taskNoun.find(tx, caller, id)
  if (task === undefined) throw refuse('resource_not_found', { param: 'task', message: `There is no task ${id}.` })
  if (task.deleted_at !== null) throw refuse('resource_deleted', { message: 'The task was deleted.' })
  return task
}
