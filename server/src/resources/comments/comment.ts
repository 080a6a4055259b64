/** The comment on a task; through the API always the service user's (decisions §14). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, head, Id, Nullable, Revision, Seconds, Text } from '../../api/shapes.ts'
import type { CommentRow, TaskRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const Comment = Type.Object({
  ...head('comment'),
  workspace: Id,
  task: Id,
  body: Text,
  author: Actor,
  edited_at: Nullable(Seconds),
  revision: Revision,
})

/** The text of a comment in a request: something must be said (decisions §15). */
export const CommentBody = Type.String({ minLength: 1, maxLength: limits.text_chars_max, pattern: '\\S' })

export type Comment = Static<typeof Comment>

export function showComment(row: CommentRow): Comment {
  return {
    id: row.id,
    object: 'comment',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    task: row.task,
    body: row.body,
    author: { type: row.author_type, id: row.author_id },
    edited_at: row.edited_at === null ? null : seconds(row.edited_at),
    revision: row.revision,
  }
}

export const commentNoun = noun({
  object: 'comment',
  prefix: 'cmt',
  table: 'comments',
  schema: Comment,
  readScope: 'comments:read',
  show: showComment,
})

/** A comment counts only below the path of its own task (decisions §6). */
export function isOnTask(comment: CommentRow, task: TaskRow): boolean {
  return comment.task === task.id
}
