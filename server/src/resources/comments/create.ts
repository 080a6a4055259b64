import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id } from '../../api/declare/shapes.ts'
import { Attachments, requireFiles } from '../files/shared/attachments.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, CommentBody, showComment } from './comment.ts'
import { commentCreated } from './events.ts'
import { createComment as create } from './shared/create.ts'

/** Adds a comment to a task. Its author is the API service user for every credential. An empty text is refused. */
export const createComment = writeOperation({
  id: 'task_comments.create',
  method: 'POST',
  path: '/v1/tasks/{task_id}/comments',
  summary: 'Comment on a task',
  scope: 'comments:write',
  credits: 10,
  parent: taskNoun,
  body: { workspace: Id, body: CommentBody, attachments: Type.Optional(Attachments) },
  returns: Comment,
  emits: [commentCreated],
  example: { params: { task_id: '{task}' }, body: { workspace: '{workspace}', body: 'Ready for review.' } },
  async handle(context) {
    const { body, attachments = [] } = context.body
    await requireFiles(context, context.parent.workspace, attachments, 'attachments')
    const author = { type: 'service_user', id: context.caller.serviceUser }
    return showComment(create(context, context.parent, body, author, { attachments }))
  },
})
