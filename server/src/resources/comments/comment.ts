/** The comment on a task; through the API always the service user's (decisions §14). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, head, Id, Nullable, Revision, Seconds, Text } from '../../api/shapes.ts'
import type { CommentRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Comment = Type.Object({
  ...head('comment'),
  workspace: Id,
  task: Id,
  body: Text,
  author: Actor,
  edited_at: Nullable(Seconds),
  revision: Revision,
})

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
