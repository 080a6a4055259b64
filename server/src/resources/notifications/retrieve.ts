import { readOperation } from '../../api/declare/operation.ts'
import { Notification, notificationNoun } from './notification.ts'
import { showNotifications } from './shared/shown.ts'

/** Shows one entry of the person's own inbox. Entries of other people are not found. */
export const retrieveNotification = readOperation({
  id: 'notifications.retrieve',
  method: 'GET',
  path: '/v1/notifications/{id}',
  summary: 'Retrieve a notification',
  scope: 'tasks:read',
  credits: 1,
  extension: true,
  target: notificationNoun,
  returns: Notification,
  example: { params: { id: '{notification}' } },
  async handle({ reader, caller, target }) {
    return (await showNotifications(reader, caller, [target]))[0] as Notification
  },
})
