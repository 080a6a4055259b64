import { writeOperation } from '../../api/declare/operation.ts'
import { mark } from './mark.ts'
import { Notification, notificationNoun } from './notification.ts'

/** Marks an entry read. One that is read already keeps its time. */
export const readNotification = writeOperation({
  id: 'notifications.read',
  method: 'POST',
  path: '/v1/notifications/{id}/read',
  summary: 'Mark a notification read',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: notificationNoun,
  returns: Notification,
  emits: [],
  example: { params: { id: '{notification}' } },
  handle: (context) => mark(context, { read_at: context.target.read_at ?? context.now, snoozed_until: null }),
})
