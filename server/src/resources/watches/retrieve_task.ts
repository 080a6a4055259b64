import { readOperation } from '../../api/declare/operation.ts'
import { taskNoun } from '../tasks/task.ts'
import { showTaskWatch } from './shared.ts'
import { Watch } from './watch.ts'

/**
 * Shows who watches a task: its author, its assignee, everyone who commented or was mentioned by name, and those who said so, also of
 * its project. What comments and mentions change may be two seconds late.
 */
export const retrieveTaskWatch = readOperation({
  id: 'task_watch.retrieve',
  method: 'GET',
  path: '/v1/tasks/{id}/watch',
  summary: 'Retrieve who watches a task',
  scope: 'tasks:read',
  credits: 1,
  extension: true,
  target: taskNoun,
  returns: Watch,
  example: { params: { id: '{task}' } },
  handle: ({ reader, caller, target }) => showTaskWatch(reader, caller, target),
})
