/**
 * The effects of steps, by type, through the functions behind the API's operations, so the same rules and refusals
 * apply to both. They refuse before their first write (contract/16#actions).
 */
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import type { StepInputs } from '../../../automations/resolve.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { showComment } from '../../comments/comment.ts'
import { createComment } from '../../comments/shared/create.ts'
import { showDependency } from '../../dependencies/dependency.ts'
import { createDependency } from '../../dependencies/shared/create.ts'
import { createFromTemplate } from '../../task_templates/shared/create.ts'
import { type TemplateOverrides, taskTemplateNoun } from '../../task_templates/task_template.ts'
import { changeTask } from '../../tasks/shared/change.ts'
import { createTask } from '../../tasks/shared/create.ts'
import { type NewTask, showTask, type TaskChanges } from '../../tasks/task.ts'
import { startEntry, stopEntry } from '../../time_entries/shared/create.ts'
import { runningEntryOf } from '../../time_entries/shared/queries.ts'
import { showTimeEntry } from '../../time_entries/time_entry.ts'
import { type EffectContext, taskOf } from './effect-context.ts'
import { createMany, updateMany } from './many-tasks.ts'
import { StepRefused } from './outcome.ts'
import type { OutsideInputs } from './outside-inputs.ts'
import { checkNewTask, checkTaskChanges } from './task-fields.ts'

type Acting = Exclude<
  StepInputs['type'],
  | 'condition'
  | 'switch'
  | 'for_each'
  | 'delay'
  | 'wait_until'
  | 'approval.wait'
  | 'mail.send'
  | 'flow.call'
  | 'stop'
  | OutsideInputs['type']
>
type Inputs<T extends Acting> = Extract<StepInputs, { type: T }>['config']

export type ActingInputs = Extract<StepInputs, { type: Acting }>

/** The API operation of each step type, as the audit log names it. */
export const actions: Readonly<Record<Acting, string>> = {
  'task.update': 'tasks.update',
  'task.move': 'tasks.move',
  'task.complete': 'tasks.complete',
  'task.assign': 'tasks.update',
  'task.label': 'tasks.update',
  'task.comment': 'task_comments.create',
  'task.create': 'tasks.create',
  'task.create_from_template': 'task_templates.instantiate',
  'task.create_many': 'tasks.batch',
  'task.update_many': 'tasks.bulk',
  'task.update_parent': 'tasks.update',
  'task.add_dependency': 'task_dependencies.create',
  'timer.start': 'time_entries.start',
  'timer.stop': 'time_entries.stop',
}

type Effects = { readonly [T in Exclude<Acting, Many>]: (context: EffectContext, config: Inputs<T>) => Promise<object> }

/** These find their tasks, or make them, one by one. */
type Many = 'task.create_many' | 'task.update_many'

const effects: Effects = {
  'task.update': (context, { task, set }) => change(context, task, checkTaskChanges(set)),
  'task.move': (context, { task, project, column }) => change(context, task, locationOf(project, column)),
  'task.complete': complete,
  'task.assign': (context, { task, assignee }) => change(context, task, { assignee }),
  'task.label': label,
  'task.comment': comment,
  'task.create': create,
  'task.create_from_template': instantiate,
  'task.update_parent': changeParent,
  'task.add_dependency': depend,
  'timer.start': start,
  'timer.stop': stop,
}

/** Applies the step's effect, emits its events, and returns the step's output. */
export async function carryOut(context: EffectContext, inputs: ActingInputs): Promise<object> {
  if (inputs.type === 'task.create_many') return await createMany(context, inputs.config)
  if (inputs.type === 'task.update_many') return await updateMany(context, inputs)
  const effect = effects[inputs.type] as (context: EffectContext, config: ActingInputs['config']) => Promise<object>
  return await effect(context, inputs.config)
}

async function change(context: EffectContext, named: string | undefined, changes: TaskChanges): Promise<object> {
  return changed(context, await taskOf(context, named), changes)
}

async function changed(context: EffectContext, task: TaskRow, changes: TaskChanges): Promise<object> {
  const after = await changeTask(context, task, changes)
  return { task: showTask(after), changed: after !== task }
}

/** The parent of a task, in the same transaction as the step that looks for it. */
async function changeParent(context: EffectContext, { task, set }: Inputs<'task.update_parent'>): Promise<object> {
  const { parent, key } = await taskOf(context, task)
  if (parent === null) throw new StepRefused('no_parent', `The task ${key} has no parent.`)
  return await changed(context, await taskOf(context, parent), checkTaskChanges(set))
}

type TaskLocation = Pick<TaskChanges, 'project' | 'column'>

function locationOf(project: string | null | undefined, column: string | null | undefined): TaskLocation {
  return { ...(project === undefined ? {} : { project }), ...(column === undefined ? {} : { column }) }
}

/** With `only_if_open`, a canceled task stays canceled. */
async function complete(context: EffectContext, { task, only_if_open }: Inputs<'task.complete'>): Promise<object> {
  const row = await taskOf(context, task)
  if (only_if_open === true && row.status === 'canceled') return { task: showTask(row), changed: false }
  return await changed(context, row, { status: 'done' })
}

/** Keeps the labels in order, without the removed ones, and appends the added ones that are new. */
async function label(context: EffectContext, { task, add = [], remove = [] }: Inputs<'task.label'>): Promise<object> {
  const row = await taskOf(context, task)
  const kept = (JSON.parse(row.labels) as string[]).filter((one) => !remove.includes(one))
  return await changed(context, row, checkTaskChanges({ labels: [...new Set([...kept, ...add])] }))
}

async function comment(context: EffectContext, { task, body }: Inputs<'task.comment'>): Promise<object> {
  const row = await taskOf(context, task)
  if (body.trim() === '') throw refuse('invalid_request_body', { param: 'body', message: '`body` must not be empty.' })
  return { comment: showComment(createComment(context, row, body, context.caller.owner)) }
}

async function create(
  context: EffectContext,
  { workspace, project, column, set }: Inputs<'task.create'>,
): Promise<object> {
  const fields: NewTask = checkNewTask({ ...set, ...locationOf(project, column) })
  const creator = context.caller.owner
  return { task: showTask(await createTask(context, workspace ?? context.workspace, fields, { creator })) }
}

async function instantiate(
  context: EffectContext,
  { template, overrides = {} }: Inputs<'task.create_from_template'>,
): Promise<object> {
  const row = await findReference(taskTemplateNoun, context, template, 'template')
  const sent = checkTaskChanges(overrides) as TemplateOverrides
  const creator = context.caller.owner
  return { task: showTask(await createFromTemplate(context, row, row.workspace, sent, { creator })) }
}

async function depend(context: EffectContext, { task, to, kind }: Inputs<'task.add_dependency'>): Promise<object> {
  const sent = { to, ...(kind === undefined ? {} : { kind }) }
  return { dependency: showDependency(await createDependency(context, await taskOf(context, task), sent)) }
}

async function start(context: EffectContext, { task, user, note, billable }: Inputs<'timer.start'>): Promise<object> {
  const { id, workspace } = await taskOf(context, task)
  const fields = {
    workspace,
    task: id,
    ...(user === undefined ? {} : { user }),
    ...(note === undefined ? {} : { note }),
    ...(billable === undefined ? {} : { billable }),
  }
  return { time_entry: showTimeEntry(await startEntry(context, fields)) }
}

/** Stops the user's running entry on the task; without a user, the one that has run longest. */
async function stop(context: EffectContext, { task, user }: Inputs<'timer.stop'>): Promise<object> {
  const row = await taskOf(context, task)
  const entry = await runningEntryOf(context.tx, row, user)
  if (entry === undefined) {
    throw refuse('resource_conflict', { param: 'task', message: 'No time entry of this task is running.' })
  }
  return { time_entry: showTimeEntry(await stopEntry(context, entry)) }
}
