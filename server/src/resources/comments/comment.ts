/** The comment on a task. Comments made through the API belong to the service user (contract/15#comment). */
import Type, { type Static } from 'typebox'
import { findById, noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Mentions, Nullable, Revision, Seconds, Text } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { CommentRow, TaskRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { Attachments } from '../files/shared/attachments.ts'

export const Comment = Type.Object({
  ...head('comment'),
  workspace: described(Id, 'Workspace of the task.'),
  task: described(Id, 'Task that the comment is on.'),
  body: described(Text, 'Text of the comment; must contain more than white space.'),
  mentions: described(Mentions, 'Ids of the users and teams that `body` mentions.'),
  author: described(Actor, 'Who wrote the comment; the service user for comments through the API.'),
  attachments: Attachments,
  edited_at: described(Nullable(Seconds), 'When the text was last changed, in Unix seconds; null if never.'),
  revision: Revision,
})

/** The text of a comment in a request; it must not be empty (contract/15#comment). */
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
    mentions: JSON.parse(row.mentions),
    author: { type: row.author_type, id: row.author_id },
    attachments: JSON.parse(row.attachments) as string[],
    edited_at: row.edited_at === null ? null : seconds(row.edited_at),
    revision: row.revision,
  }
}

const taskOf = findById('tasks')

export const commentNoun = noun({
  object: 'comment',
  prefix: 'cmt',
  table: 'comments',
  schema: Comment,
  readScope: 'comments:read',
  guests: {
    sees: async ({ realm, task }, { projects }, { reader }) => {
      const row = await reader.first(taskOf, { realm, id: task })
      return row !== undefined && projects.has(row.project ?? '')
    },
  },
  show: showComment,
})

/** A comment is found only below the path of its task (contract/06#nested-ids). */
export function isOnTask(comment: CommentRow, task: TaskRow): boolean {
  return comment.task === task.id
}
