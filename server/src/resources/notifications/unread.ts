import { writeOperation } from '../../api/declare/operation.ts'
import { mark } from './mark.ts'
import { Notification, notificationNoun } from './notification.ts'

/** Marks an entry unread. */
export const unreadNotification = writeOperation({
  id: 'notifications.unread',
  method: 'POST',
  path: '/v1/notifications/{id}/unread',
  summary: 'Mark a notification unread',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: notificationNoun,
  returns: Notification,
  emits: [],
  example: { params: { id: '{notification}' } },
  handle: (context) => mark(context, { read_at: null }),
})
