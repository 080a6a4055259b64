import { writeOperation } from '../../api/declare/operation.ts'
import { changeTask, taskMoveEvents } from './shared/change.ts'
import { showTask, Task, taskFields, taskNoun } from './task.ts'

/**
 * Moves a task to a project and column. Without a column, a change of project clears the column. Leaving a project deletes
 * the task's dependencies.
 */
export const moveTask = writeOperation({
  id: 'tasks.move',
  method: 'POST',
  path: '/v1/tasks/{id}/move',
  summary: 'Move a task',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  body: { project: taskFields.project, column: taskFields.column },
  returns: Task,
  emits: taskMoveEvents,
  example: { params: { id: '{task}' }, body: { project: '{project}', column: '{column}' } },
  async handle(context) {
    const { project, column } = context.body
    return showTask(await changeTask(context, context.target, { project, column }))
  },
})
