import { writeOperation } from '../../api/declare/operation.ts'
import { taskCompleted, taskUpdated } from './events.ts'
import { changeTask } from './shared/change.ts'
import { showTask, Task, taskNoun } from './task.ts'

/** Marks a task done and records when. Completing a done task again changes nothing and emits nothing. */
export const completeTask = writeOperation({
  id: 'tasks.complete',
  method: 'POST',
  path: '/v1/tasks/{id}/complete',
  summary: 'Complete a task',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  returns: Task,
  emits: [taskCompleted, taskUpdated],
  example: { params: { id: '{task}' } },
  async handle(context) {
    return showTask(await changeTask(context, context.target, { status: 'done' }))
  },
})
