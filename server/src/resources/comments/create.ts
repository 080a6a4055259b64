import { writeOperation } from '../../api/operation.ts'
import { Id } from '../../api/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { requireActive } from '../tasks/queries-change.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, CommentBody, showComment } from './comment.ts'
import { commentCreated } from './events.ts'

/** Comments on a task, always as the API service user, whoever owns the credential. An empty text is refused. */
export const createComment = writeOperation({
  id: 'task_comments.create',
  method: 'POST',
  path: '/v1/tasks/{task_id}/comments',
  summary: 'Comment on a task',
  scope: 'comments:write',
  credits: 10,
  parent: taskNoun,
  body: { workspace: Id, body: CommentBody },
  returns: Comment,
  emits: [commentCreated],
  example: { params: { task_id: '{task}' }, body: { workspace: '{workspace}', body: 'Ready for review.' } },
  handle({ parent, body, caller, tx, now, emit }) {
    requireActive(parent)
    const row = {
      realm: caller.realm,
      id: newId('cmt', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: parent.workspace,
      task: parent.id,
      body: body.body,
      author_type: 'service_user',
      author_id: caller.serviceUser,
      edited_at: null,
    }
    tx.insert('comments', row)
    const comment = showComment(row)
    emit(commentCreated, comment)
    return comment
  },
})
