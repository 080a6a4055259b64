import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { deleteTask as remove, taskDeleteEvents } from './shared/change.ts'
import { taskNoun } from './task.ts'

/** Deletes a task permanently with its comments and dependencies. Its time entries remain, and its key is never reused. */
export const deleteTask = writeOperation({
  id: 'tasks.delete',
  method: 'DELETE',
  path: '/v1/tasks/{id}',
  summary: 'Delete a task',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  returns: Deleted('task'),
  emits: taskDeleteEvents,
  example: { params: { id: '{task}' } },
  async handle(context) {
    await remove(context, context.target)
    return { id: context.target.id, object: 'task', deleted: true }
  },
})
