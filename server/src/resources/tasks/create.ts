import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Title } from '../../api/declare/shapes.ts'
import { taskCreated, taskUpdated } from './events.ts'
import { type CreatedTask, createTasks, lookUpReferences } from './shared/create.ts'
import { Task, taskFields } from './task.ts'

/** Creates a task with the next key of its workspace (`KEP-42`); it is `todo`, unless a completion time makes it `done`. */
export const createTask = writeOperation({
  id: 'tasks.create',
  method: 'POST',
  path: '/v1/tasks',
  summary: 'Create a task',
  scope: 'tasks:write',
  credits: 10,
  body: { workspace: Id, title: Title, ...taskFields },
  returns: Task,
  emits: [taskCreated, taskUpdated],
  example: { body: { workspace: '{workspace}', title: 'Graduate the feature gate to beta', priority: 'high' } },
  lookAhead: (from, body) => lookUpReferences(from, body.workspace, body),
  async handle(context) {
    const { body } = context
    const [made] = await createTasks(context, body.workspace, [{ fields: body }])
    return (made as CreatedTask).shown
  },
})
