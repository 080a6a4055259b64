import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted, described, Id, Labels, listOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { changeTasks, deleteTasks, findBulkTasks, type LabelChange } from './shared/bulk.ts'
import { taskChangeEvents, taskDeleteEvents } from './shared/change.ts'
import { Task, taskFields } from './task.ts'

const Changes = Type.Object(
  { title: Type.Optional(Task.properties.title), ...taskFields },
  { additionalProperties: false },
)

const body = {
  workspace: described(Id, 'Workspace of the tasks.'),
  tasks: Type.Array(Id, {
    minItems: 1,
    maxItems: limits.bulk_tasks_max,
    description: 'Tasks by id or key, each once; all are changed or none.',
  }),
  set: described(Type.Optional(Changes), 'Fields that all tasks get, as in PATCH of a task.'),
  add_labels: described(Type.Optional(Labels), 'Labels to add at the end, in order; one that a task has is ignored.'),
  remove_labels: described(Type.Optional(Labels), 'Labels to remove; one that a task does not have is ignored.'),
  delete: described(Type.Optional(Type.Literal(true)), 'Deletes the tasks; sent without `set` and labels.'),
}

const Body = Type.Object(body)

/**
 * Changes or deletes 1 to 500 tasks of one workspace, all or none, as if each were written alone and in the order sent. A
 * refusal names the task, such as `tasks[3]`, or the field, such as `set.status`.
 */
export const bulkTasks = writeOperation({
  id: 'tasks.bulk',
  method: 'POST',
  path: '/v1/tasks/bulk',
  summary: 'Change or delete tasks together',
  scope: 'tasks:write',
  credits: 25,
  extension: true,
  body,
  returns: listOf(Type.Union([Task, Deleted('task')]), false),
  emits: [...taskChangeEvents, ...taskDeleteEvents],
  example: { body: { workspace: '{workspace}', tasks: ['{task}'], set: { priority: 'high' }, add_labels: ['docs'] } },
  async handle(context) {
    const { body, tx, caller, note } = context
    const labels = readChange(body)
    if (body.delete && caller.guest !== null) {
      throw refuse('insufficient_scope', { param: 'delete', message: 'Guests do not delete tasks.' })
    }
    const { id: workspace } = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const tasks = await findBulkTasks(context, workspace, body.tasks)
    const done = body.delete
      ? await deleteTasks(context, tasks)
      : await changeTasks(context, tasks, body.set ?? {}, labels)
    note({ targets: done.changed.map((id) => ({ object: 'task', id, workspace })) })
    return { object: 'list', url: '/v1/tasks', has_more: false, next_cursor: null, data: done.answers }
  },
})

/** Refuses a request without a change, with two that exclude each other, or with a label both added and removed. */
function readChange(sent: Static<typeof Body>): LabelChange {
  const { add_labels: add = [], remove_labels: remove = [] } = sent
  const isChange = sent.set !== undefined || sent.add_labels !== undefined || sent.remove_labels !== undefined
  if (isChange === (sent.delete === true)) {
    const param = isChange ? 'delete' : 'set'
    const message = 'Send either `delete: true`, or `set`, `add_labels` and `remove_labels`.'
    throw refuse('invalid_request_body', { param, message })
  }
  const both = add.find((label) => remove.includes(label))
  if (both !== undefined) {
    const message = `remove_labels has "${both}", which add_labels has, too. Send each label in one of the two.`
    throw refuse('invalid_request_body', { param: 'remove_labels', message })
  }
  return { add, remove }
}
