import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Title } from '../../api/declare/shapes.ts'
import { changeShownTask, taskChangeEvents } from './shared/change.ts'
import { Task, taskFields, taskNoun } from './task.ts'

/** Changes the fields that are sent. `custom_fields` are merged key by key, and `null` removes a key. */
export const updateTask = writeOperation({
  id: 'tasks.update',
  method: 'PATCH',
  path: '/v1/tasks/{id}',
  summary: 'Update a task',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  body: { title: Type.Optional(Title), ...taskFields },
  returns: Task,
  emits: taskChangeEvents,
  example: { params: { id: '{task}' }, body: { status: 'in_progress' } },
  async handle(context) {
    return await changeShownTask(context, context.target, context.body)
  },
})
