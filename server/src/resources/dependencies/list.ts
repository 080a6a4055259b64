import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { taskNoun } from '../tasks/task.ts'
import { dependencyNoun } from './dependency.ts'

/** Lists the outgoing dependencies of a task, newest first. Incoming ones are listed below the tasks that they start from. */
export const listDependencies = listOperation({
  id: 'task_dependencies.list',
  method: 'GET',
  path: '/v1/tasks/{task_id}/dependencies',
  summary: 'List the dependencies of a task',
  scope: 'tasks:read',
  credits: 5,
  parent: taskNoun,
  paging: 'id',
  fields: true,
  lists: dependencyNoun,
  example: { params: { task_id: '{task}' } },
  handle: (context) => listById(context, dependencyNoun, { where: { from: context.parent.id }, fixed: ['from'] }),
})
