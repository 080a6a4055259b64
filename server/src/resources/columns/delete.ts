import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { taskMoved } from '../tasks/events.ts'
import { showTask } from '../tasks/task.ts'
import { columnNoun, showColumn } from './column.ts'
import { columnDeleted } from './events.ts'
import { clearColumn, requireActiveColumn, tasksIn } from './queries.ts'

/** Deletes a column. Its tasks stay in the project without a column. */
export const deleteColumn = writeOperation({
  id: 'columns.delete',
  method: 'DELETE',
  path: '/v1/columns/{id}',
  summary: 'Delete a column',
  scope: 'projects:write',
  credits: 10,
  target: columnNoun,
  returns: Deleted('column'),
  emits: [columnDeleted, taskMoved],
  example: { params: { id: '{column}' } },
  async handle({ target, caller, tx, now, emit }) {
    await requireActiveColumn({ tx, caller }, target)
    const bound = { realm: target.realm, column: target.id }
    const tasks = await tx.all(tasksIn, bound)
    markDeleted(tx, 'columns', target, now)
    emit(columnDeleted, showColumn(target))
    if (tasks.length > 0) tx.write(clearColumn, { ...bound, updated: now })
    for (const task of tasks) {
      const detached = { ...task, column: null, updated: now, revision: task.revision + 1 }
      emit(taskMoved, showTask(detached), showTask(task))
    }
    return { id: target.id, object: 'column', deleted: true }
  },
})
