import Type from 'typebox'
import { readOperation } from '../../api/declare/operation.ts'
import { described } from '../../api/declare/shapes.ts'
import { toldSequence } from '../../notifications/follow.ts'
import { countUnread } from './queries.ts'

const Count = Type.Integer({ minimum: 0 })

/** Counts the unread entries of the person's inbox that are not put off, and says up to which event the inbox is complete. */
export const countNotifications = readOperation({
  id: 'notifications.count',
  method: 'GET',
  path: '/v1/notifications/count',
  summary: 'Count unread notifications',
  scope: 'tasks:read',
  credits: 1,
  extension: true,
  returns: Type.Object({
    object: described(Type.Literal('notification_count'), 'Kind of object: always `notification_count`.'),
    unread: described(Count, 'Number of unread entries.'),
    unread_subjects: described(Count, 'Number of tasks, boards and runs that they are about.'),
    told_sequence: described(Count, 'Sequence of the last event that the inbox includes.'),
  }),
  async handle({ reader, caller, now }) {
    const counts = await countUnread(reader, caller, now)
    return { object: 'notification_count', ...counts, told_sequence: await toldSequence(reader, caller.realm) }
  },
})
