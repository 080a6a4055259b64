import { readOperation } from '../../api/declare/operation.ts'
import { expand } from '../../api/request/expand.ts'
import { ExpandedTask, expandTasks, taskExpansions } from './expansions.ts'
import { showTask, taskNoun } from './task.ts'

/** Shows one task by its id or its key (`KEP-42`). */
export const retrieveTask = readOperation({
  id: 'tasks.retrieve',
  method: 'GET',
  path: '/v1/tasks/{id}',
  summary: 'Retrieve a task',
  scope: 'tasks:read',
  credits: 1,
  target: taskNoun,
  query: { expand: expandTasks },
  returns: ExpandedTask,
  example: { params: { id: '{task}' } },
  async handle({ reader, caller, query, target }) {
    const [task] = await expand({ reader, caller }, taskExpansions, query.expand, [showTask(target)])
    return task as object
  },
})
