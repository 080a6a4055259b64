import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { taskNoun } from '../tasks/task.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { timeEntryNoun } from './time_entry.ts'

/** Lists time entries, newest first. `task` may be a deleted task; an unknown one is refused. */
export const listTimeEntries = listOperation({
  id: 'time_entries.list',
  method: 'GET',
  path: '/v1/time_entries',
  summary: 'List time entries',
  scope: 'time_entries:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: timeEntryNoun,
  query: {
    workspace: idParameter('Only entries of this workspace.', workspaceNoun),
    task: idParameter('Only entries of this task, by id or key.'),
  },
  async handle(context) {
    const { reader, caller, query } = context
    const task = query.task === undefined ? undefined : await taskNoun.find(reader, caller, query.task)
    if (query.task !== undefined && task === undefined) {
      throw refuse('invalid_query_parameter', { param: 'task', message: `task "${query.task}" names no task.` })
    }
    return await listById(context, timeEntryNoun, { where: { workspace: query.workspace, task: task?.id } })
  },
})
