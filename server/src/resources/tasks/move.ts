import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id } from '../../api/declare/shapes.ts'
import { moveTask as move, taskChangeEvents } from './shared/change.ts'
import { Task, taskFields, taskNoun } from './task.ts'

/**
 * Moves a task to a project and column. Without a column, a change of project clears the column. Leaving a project deletes
 * the task's dependencies. The task stands at the end of a column that it enters, or with `before` or `after` beside that task.
 */
export const moveTask = writeOperation({
  id: 'tasks.move',
  method: 'POST',
  path: '/v1/tasks/{id}/move',
  summary: 'Move a task',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  body: {
    project: taskFields.project,
    column: taskFields.column,
    before: described(
      Type.Optional(Id),
      'Task of the target column, by id or key, that the moved one stands directly before.',
    ),
    after: described(
      Type.Optional(Id),
      'Task of the target column, by id or key, that the moved one stands directly after.',
    ),
  },
  returns: Task,
  emits: taskChangeEvents,
  example: { params: { id: '{task}' }, body: { project: '{project}', column: '{column}' } },
  async handle(context) {
    const { project, column, before, after } = context.body
    if (before !== undefined && after !== undefined) {
      const message = '`before` and `after` cannot both be sent. Send one of the two.'
      throw refuse('invalid_request_body', { param: 'after', message })
    }
    const task = before ?? after
    const beside = task === undefined ? undefined : ({ task, side: before === undefined ? 'after' : 'before' } as const)
    return await move(context, context.target, { project, column }, beside)
  },
})
