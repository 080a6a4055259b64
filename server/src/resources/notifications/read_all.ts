import Type from 'typebox'
import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id } from '../../api/declare/shapes.ts'
import { guestValues, markRead } from './queries.ts'

/**
 * Marks all unread entries of the inbox read that are not put off, or those about one subject. With `through`, entries that came
 * after that one stay unread, so that what the person has not seen is not lost.
 */
export const readAllNotifications = writeOperation({
  id: 'notifications.read_all',
  method: 'POST',
  path: '/v1/notifications/read_all',
  summary: 'Mark notifications read',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  body: {
    subject: described(Type.Optional(Id), 'Only entries about this task, board or run.'),
    through: described(Type.Optional(Id), 'Id of the newest entry to mark.'),
  },
  returns: Type.Object({
    object: described(Type.Literal('notifications_read'), 'Kind of object: always `notifications_read`.'),
    count: described(Type.Integer({ minimum: 0 }), 'Number of entries that were marked.'),
  }),
  emits: [],
  example: { body: {} },
  async handle({ body, caller, tx, now, note }) {
    const user = actingUser(caller)
    const { subject = '', through = '~' } = body
    const count = await tx.run(markRead, { realm: caller.realm, user, now, through, subject, ...guestValues(caller) })
    if (count > 0) note({ target: { object: 'user', id: user }, unannounced: true })
    return { object: 'notifications_read', count }
  },
})
