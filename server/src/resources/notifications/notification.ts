/** The notification: one entry of a person's inbox (contract/14#notification). */
import Type, { type Static } from 'typebox'
import { findById, noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Nullable, OneOf, Revision, Seconds } from '../../api/declare/shapes.ts'
import type { NotificationRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { kind_names } from '../../notifications/kinds.ts'

const Details = Type.Object({
  from: described(Type.Optional(Type.String()), 'Status before, of kind `status`.'),
  to: described(Type.Optional(Type.String()), 'Status after, of kind `status`.'),
  due_at: described(Type.Optional(Seconds), 'When the task is due, of kinds `due_tomorrow` and `overdue`.'),
  automation_flow: described(
    Type.Optional(Id),
    'Flow, of kinds `approval`, `automation_failed` and `automation_authority`.',
  ),
  task: described(Type.Optional(Nullable(Id)), 'Task of the run, of kinds `approval` and `automation_failed`.'),
  approval: described(Type.Optional(Id), 'Approval that is asked for, of kind `approval`.'),
  status: described(
    Type.Optional(OneOf('approved', 'rejected', 'timed_out', 'canceled')),
    'How the approval ended, of kind `approval`; absent while it is pending.',
  ),
  decided_by: described(
    Type.Optional(Nullable(Id)),
    'User id of the person who decided, of kind `approval`; null if no person did.',
  ),
  team: described(
    Type.Optional(Id),
    'Team that the text mentions, of kind `mentioned`; absent if it names the person.',
  ),
  thread: described(Type.Optional(Id), 'Thread of the comment on a board.'),
  guest: described(
    Type.Optional(Type.String()),
    'Name that the author of a comment on a board has given who came by a link for guests.',
  ),
})

export const Notification = Type.Object({
  ...head('notification'),
  user: described(Id, 'User id of the person whose inbox it is in.'),
  workspace: described(Nullable(Id), 'Workspace of the subject; null for a board.'),
  kind: described(OneOf(...kind_names), 'What has happened.'),
  subject: described(
    Type.Object({
      object: described(OneOf('task', 'board', 'automation_run', 'automation_flow', 'user'), 'Kind of the subject.'),
      id: described(Id, 'Id of the subject.'),
    }),
    'What it is about; entries with the same subject belong together.',
  ),
  title: described(
    Nullable(Type.String()),
    'Title or name of the subject as it is now, of a run that of its flow; null for a person and if the credential may not read it.',
  ),
  key: described(Nullable(Type.String()), 'Key of the task; null for other subjects.'),
  comment: described(Nullable(Id), 'Comment that it is about; null if none.'),
  excerpt: described(
    Nullable(Type.String()),
    'Start of that comment as it is now, or of what is to be approved; null without one and if the credential may not read it.',
  ),
  event: described(Nullable(Id), 'Event that it reports; null if time has passed.'),
  actor: described(Nullable(Actor), 'Who did it; null if time has passed.'),
  details: described(Details, 'What the kind adds.'),
  read_at: described(Nullable(Seconds), 'When it was marked read, in Unix seconds; null if unread.'),
  snoozed_until: described(Nullable(Seconds), 'Until when it is put off, in Unix seconds; null if it is not.'),
  revision: Revision,
})

export type Notification = Static<typeof Notification>

/** What an entry shows of its subject and its comment, as far as the credential may read them. */
export interface Shown {
  readonly title: string | null
  readonly key: string | null
  readonly excerpt: string | null
  readonly ended: Ended | null
}

/** How an approval ended. */
export interface Ended {
  readonly status: string
  readonly decided_by: string | null
}

const nothing_shown: Shown = { title: null, key: null, excerpt: null, ended: null }

export function showNotification(
  row: NotificationRow,
  { title, key, excerpt, ended }: Shown = nothing_shown,
): Notification {
  return {
    id: row.id,
    object: 'notification',
    created: seconds(row.created),
    updated: seconds(row.updated),
    user: row.user,
    workspace: row.workspace,
    kind: row.kind as Notification['kind'],
    subject: { object: row.subject_type as 'task', id: row.subject },
    title,
    key,
    comment: row.comment,
    excerpt,
    event: row.event,
    actor: row.actor_type === null || row.actor_id === null ? null : { type: row.actor_type, id: row.actor_id },
    details: {
      ...(JSON.parse(row.details) as Notification['details']),
      ...(ended === null ? {} : { status: ended.status as 'approved', decided_by: ended.decided_by }),
    },
    read_at: row.read_at === null ? null : seconds(row.read_at),
    snoozed_until: row.snoozed_until === null ? null : seconds(row.snoozed_until),
    revision: row.revision,
  }
}

const [taskOf, boardOf] = [findById('tasks'), findById('boards')]

export const notificationNoun = noun({
  object: 'notification',
  prefix: 'ntf',
  table: 'notifications',
  schema: Notification,
  readScope: 'tasks:read',
  workspaced: false,
  personOf: ({ user }) => user,
  guests: {
    sees: async ({ realm, subject, user }, { projects }, { reader }) => {
      if (subject === user) return true
      const [task, board] = await Promise.all([
        reader.first(taskOf, { realm, id: subject }),
        reader.first(boardOf, { realm, id: subject }),
      ])
      return projects.has(task?.project ?? board?.project ?? '')
    },
  },
  show: showNotification,
})
