import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, listOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { taskCreated, taskUpdated } from './events.ts'
import { createTasks } from './shared/create.ts'
import { Task, taskFields } from './task.ts'

const Drafts = Type.Array(
  Type.Object({ title: Task.properties.title, ...taskFields }, { additionalProperties: false }),
  {
    minItems: 1,
    maxItems: limits.batch_tasks_max,
    description: 'Tasks to create, in order; all are created or none.',
  },
)

/** Creates 1 to 100 tasks of one workspace in the order sent, all or none. A refusal names the field, such as `data[3].title`. */
export const batchTasks = writeOperation({
  id: 'tasks.batch',
  method: 'POST',
  path: '/v1/tasks/batch',
  summary: 'Create tasks together',
  scope: 'tasks:write',
  credits: 25,
  body: { workspace: described(Id, 'Workspace of the tasks.'), data: Drafts },
  returns: listOf(Task, false),
  emits: [taskCreated, taskUpdated],
  example: { body: { workspace: '{workspace}', data: [{ title: 'Write the proposal' }, { title: 'Review it' }] } },
  async handle(context) {
    const { workspace, data } = context.body
    const drafts = data.map((fields, i) => ({ fields, prefix: `data[${i}].` }))
    const made = await createTasks(context, workspace, drafts)
    return {
      object: 'list',
      url: '/v1/tasks',
      has_more: false,
      next_cursor: null,
      data: made.map(({ shown }) => shown),
    }
  },
})
