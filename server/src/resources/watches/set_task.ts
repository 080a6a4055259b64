import { writeOperation } from '../../api/declare/operation.ts'
import { taskNoun } from '../tasks/task.ts'
import { setWatch, showTaskWatch } from './shared.ts'
import { Level, Watch } from './watch.ts'

/**
 * Sets how the person for whom the credential acts stands to a task, from the next event on. A person who has stopped watching watches
 * again after an own comment or a mention by name; `muted` stays until it is changed.
 */
export const setTaskWatch = writeOperation({
  id: 'task_watch.set',
  method: 'POST',
  path: '/v1/tasks/{id}/watch',
  summary: 'Watch a task',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: taskNoun,
  body: { level: Level },
  returns: Watch,
  emits: [],
  example: { params: { id: '{task}' }, body: { level: 'watching' } },
  async handle(context) {
    const { tx, caller, target, body } = context
    await setWatch(context, { object: 'task', id: target.id, workspace: target.workspace }, body.level)
    return await showTaskWatch(tx, caller, target)
  },
})
