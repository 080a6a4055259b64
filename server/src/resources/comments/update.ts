import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { applyChange } from '../../api/write/change.ts'
import { storedMentions } from '../../text/mentions.ts'
import { Attachments, changeAttachments, requireFiles } from '../files/shared/attachments.ts'
import { requireActive } from '../tasks/shared/change.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, CommentBody, commentNoun, isOnTask, showComment } from './comment.ts'
import { commentUpdated } from './events.ts'
import { requireOwnOfGuest } from './shared/authors.ts'

/** Changes the text of a comment, which sets `edited_at`, and its attachments. What is equal changes nothing. */
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
  body: { body: CommentBody, attachments: Type.Optional(Attachments) },
  returns: Comment,
  emits: [commentUpdated],
  example: { params: { task_id: '{task}', id: '{comment}' }, body: { body: 'Ready for a second review.' } },
  async handle({ parent, target, body: { body, attachments }, tx, caller, now, emit }) {
    requireActive(parent)
    await requireOwnOfGuest(tx, caller, target)
    await requireFiles({ tx, caller }, target.workspace, attachments, 'attachments', target.attachments)
    const fields = {
      ...(body === target.body ? {} : { body, mentions: storedMentions(body), edited_at: now }),
      ...(attachments === undefined ? {} : { attachments: JSON.stringify(attachments) }),
    }
    const changed = applyChange(tx, 'comments', target, fields, now)
    if (changed === null) return showComment(target)
    changeAttachments(tx, target.realm, { object: 'comment', id: target.id }, target.attachments, changed.attachments)
    emit(commentUpdated, showComment(changed), showComment(target))
    return showComment(changed)
  },
})
