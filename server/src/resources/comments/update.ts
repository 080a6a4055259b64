import { writeOperation } from '../../api/declare/operation.ts'
import { applyChange } from '../../api/write/change.ts'
import { storedMentions } from '../../text/mentions.ts'
import { requireActive } from '../tasks/shared/change.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, CommentBody, commentNoun, isOnTask, showComment } from './comment.ts'
import { commentUpdated } from './events.ts'

/** Changes the text of a comment and sets `edited_at`. An equal text changes nothing. */
export const updateComment = writeOperation({
  id: 'task_comments.update',
  method: 'PATCH',
  path: '/v1/tasks/{task_id}/comments/{id}',
  summary: 'Edit a comment',
  scope: 'comments:write',
  credits: 10,
  parent: taskNoun,
  target: commentNoun,
  within: isOnTask,
  body: { body: CommentBody },
  returns: Comment,
  emits: [commentUpdated],
  example: { params: { task_id: '{task}', id: '{comment}' }, body: { body: 'Ready for a second review.' } },
  handle({ parent, target, body, tx, now, emit }) {
    requireActive(parent)
    if (body.body === target.body) return showComment(target)
    const fields = { body: body.body, mentions: storedMentions(body.body), edited_at: now }
    const changed = applyChange(tx, 'comments', target, fields, now)
    if (changed !== null) emit(commentUpdated, showComment(changed), showComment(target))
    return showComment(changed ?? target)
  },
})
