import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { requireActive } from '../tasks/shared/change.ts'
import { taskNoun } from '../tasks/task.ts'
import { dependencyNoun, isFromTask, showDependency } from './dependency.ts'
import { dependencyDeleted } from './events.ts'

/** Deletes an outgoing dependency. Its id then answers 410. */
export const deleteDependency = writeOperation({
  id: 'task_dependencies.delete',
  method: 'DELETE',
  path: '/v1/tasks/{task_id}/dependencies/{id}',
  summary: 'Delete a dependency',
  scope: 'tasks:write',
  credits: 10,
  parent: taskNoun,
  target: dependencyNoun,
  within: isFromTask,
  returns: Deleted('dependency'),
  emits: [dependencyDeleted],
  example: { params: { task_id: '{task}', id: '{dependency}' } },
  handle({ parent, target, tx, now, emit }) {
    requireActive(parent)
    markDeleted(tx, 'dependencies', target, now)
    emit(dependencyDeleted, showDependency(target))
    return { id: target.id, object: 'dependency', deleted: true }
  },
})
