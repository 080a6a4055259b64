/**
 * Steps that create or change many tasks: all of them or none, in the transaction of the step (contract/16#many-tasks). Each task is
 * created or changed by the rules of one alone. A refusal after the first write, such as that of too many subtasks, undoes all.
 */
import { Refusal, refuse } from '../../../api/declare/errors.ts'
import { findById } from '../../../api/declare/noun.ts'
import type { CreateManyInputs, UpdateManyInputs } from '../../../automations/resolve.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { seconds } from '../../../lib/clock.ts'
import { type PlannedChange, planChange, sharedPlan, writeChange } from '../../tasks/shared/change.ts'
import { createTasks } from '../../tasks/shared/create.ts'
import { readFilter, resolveFilter } from '../../tasks/shared/filter.ts'
import { readTasks } from '../../tasks/shared/list.ts'
import { SubtaskCounts } from '../../tasks/shared/subtasks.ts'
import { type NewTask, showTask } from '../../tasks/task.ts'
import { type EffectContext, taskOf } from './effect-context.ts'
import { StepRefused } from './outcome.ts'
import { checkNewTask, checkTaskChanges } from './task-fields.ts'

const findTask = findById('tasks')

/** Creates the tasks in their order. Subtasks are in the project of their parent, unless another one is named. */
export async function createMany(
  context: EffectContext,
  { parent: named, project, column, tasks }: CreateManyInputs['config'],
): Promise<object> {
  const parent = named === undefined || named === null ? null : await taskOf(context, named)
  const place = {
    ...placeOf(project, column, parent),
    ...(parent === null ? {} : { parent: parent.id }),
  }
  const drafts = tasks.map((fields, i): { fields: NewTask; prefix: string } => {
    const prefix = `tasks[${i}].`
    return { fields: under(prefix, () => checkNewTask({ ...fields, ...place })), prefix }
  })
  if (drafts.length === 0) return { count: 0, tasks: [] }
  const workspace = parent?.workspace ?? context.workspace
  const made = await createTasks(context, workspace, drafts, { creator: context.caller.owner })
  return { count: made.length, tasks: made.map(({ row }) => nameTask(row)) }
}

function placeOf(
  project: string | null | undefined,
  column: string | null | undefined,
  parent: TaskRow | null,
): Pick<NewTask, 'project' | 'column'> {
  // A column says in which project it is.
  const inherited = project === undefined && column == null ? parent?.project : project
  return { ...(inherited === undefined ? {} : { project: inherited }), ...(column === undefined ? {} : { column }) }
}

/** Changes the tasks that match, oldest first. */
export async function updateMany(
  context: EffectContext,
  { config, fieldsFor }: Pick<UpdateManyInputs, 'config' | 'fieldsFor'>,
): Promise<object> {
  const tasks = await matching(context, config)
  const shared = sharedPlan(context, context.workspace)
  const planned: PlannedChange[] = []
  for (const [i, task] of tasks.entries()) {
    const computed = fieldsFor(showTask(task), i)
    if (!computed.ok) throw new StepRefused(computed.failure.code, `${task.key}: ${computed.failure.message}`)
    planned.push(
      await about(task, async () =>
        planChange(
          context,
          task,
          under('set.', () => checkTaskChanges(computed.set)),
          'set.',
          { shared },
        ),
      ),
    )
  }
  const counts = new SubtaskCounts()
  const written = tasks.map((task, i) => writeChange(context, task, planned[i] as PlannedChange, counts))
  await counts.write(context)
  return {
    count: tasks.length,
    changed: written.filter((each) => each !== null).length,
    tasks: tasks.map((task, i) => nameTask(written[i]?.row ?? task)),
  }
}

/** The tasks of the workspace, and of the flow's project, that are not archived. */
async function matching(
  context: EffectContext,
  { query, parent: named, max_tasks, on_overflow }: UpdateManyInputs['config'],
): Promise<TaskRow[]> {
  const { tx, caller, workspace, project } = context
  const parent = named === undefined ? undefined : (await taskOf(context, named)).id
  const criteria = {
    ...{ workspace, parent, is_archived: false, project: project === null ? undefined : [project] },
    filter: query === undefined ? undefined : await filterOf(context, query),
  }
  // One more shows that there are too many.
  const page = { keys: [], backwards: true, position: null, count: max_tasks + 1 }
  const found = await readTasks(tx, caller.realm, criteria, page, { is_uninterrupted: true })
  if (found.length > max_tasks && on_overflow !== 'truncate') {
    const message = `More than ${max_tasks} tasks match; \`max_tasks\` allows ${max_tasks}. None was changed.`
    throw new StepRefused('too_many_tasks', message)
  }
  const rows = await Promise.all(
    found.slice(0, max_tasks).map(({ id }) => tx.first(findTask, { realm: caller.realm, id })),
  )
  return rows.filter((row) => row !== undefined)
}

async function filterOf({ tx, caller, workspace, now }: EffectContext, query: string) {
  const read = readFilter(query, now)
  const filter = read.ok ? await resolveFilter(read, { reader: tx, tenant: caller, workspace, now, me: null }) : read
  if (filter.ok) return filter
  throw refuse('invalid_request_body', { param: 'query', message: filter.message })
}

/** Names the task in a refusal. */
async function about<T>(task: TaskRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse(error.code, { ...error.options, message: `${task.key}: ${error.message}` })
  }
}

/** Puts the place of a task before the field that a refusal names. */
function under<T>(prefix: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.options.param === undefined) throw error
    throw refuse(error.code, { ...error.options, param: `${prefix}${error.options.param}` })
  }
}

/** A task as later steps see it: less than the whole, because there may be a hundred. */
function nameTask({ id, key, title, status, priority, assignee, due_at }: TaskRow) {
  return { id, key, title, status, priority, assignee, due_at: due_at === null ? null : seconds(due_at) }
}
