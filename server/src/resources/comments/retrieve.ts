import { readOperation } from '../../api/declare/operation.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, commentNoun, isOnTask, showComment } from './comment.ts'

/** Shows a comment. Below the path of another task the answer is 404. */
export const retrieveComment = readOperation({
  id: 'task_comments.retrieve',
  method: 'GET',
  path: '/v1/tasks/{task_id}/comments/{id}',
  summary: 'Retrieve a comment',
  scope: 'comments:read',
  credits: 1,
  parent: taskNoun,
  target: commentNoun,
  within: isOnTask,
  returns: Comment,
  example: { params: { task_id: '{task}', id: '{comment}' } },
  handle: ({ target }) => showComment(target),
})
