import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { changeAttachments } from '../files/shared/attachments.ts'
import { requireActive } from '../tasks/shared/change.ts'
import { taskNoun } from '../tasks/task.ts'
import { commentNoun, isOnTask, showComment } from './comment.ts'
import { commentDeleted } from './events.ts'
import { requireOwnOfGuest } from './shared/authors.ts'

/** Deletes a comment. Its id then answers 410. */
export const deleteComment = writeOperation({
  id: 'task_comments.delete',
  method: 'DELETE',
  path: '/v1/tasks/{task_id}/comments/{id}',
  summary: 'Delete a comment',
  scope: 'comments:write',
  credits: 10,
  parent: taskNoun,
  target: commentNoun,
  within: isOnTask,
  returns: Deleted('comment'),
  emits: [commentDeleted],
  example: { params: { task_id: '{task}', id: '{comment}' } },
  async handle({ parent, target, tx, caller, now, emit }) {
    requireActive(parent)
    await requireOwnOfGuest(tx, caller, target)
    markDeleted(tx, 'comments', target, now)
    changeAttachments(tx, target.realm, { object: 'comment', id: target.id }, target.attachments, '[]')
    emit(commentDeleted, showComment(target))
    return { id: target.id, object: 'comment', deleted: true }
  },
})
