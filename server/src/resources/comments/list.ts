import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { taskNoun } from '../tasks/task.ts'
import { commentNoun } from './comment.ts'

/** Lists a task's comments, newest first. */
export const listComments = listOperation({
  id: 'task_comments.list',
  method: 'GET',
  path: '/v1/tasks/{task_id}/comments',
  summary: 'List the comments of a task',
  scope: 'comments:read',
  credits: 5,
  parent: taskNoun,
  paging: 'id',
  fields: true,
  lists: commentNoun,
  example: { params: { task_id: '{task}' } },
  handle: (context) =>
    listById(context, commentNoun, { where: { task: context.parent.id }, fixed: ['task'], isBelow: true }),
})
