import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Moment, Nullable } from '../../api/declare/shapes.ts'
import { millis } from '../../lib/clock.ts'
import { inbox_limits } from '../../notifications/limits.ts'
import { mark } from './mark.ts'
import { Notification, notificationNoun } from './notification.ts'

/** Puts an entry off until a time at most 366 days ahead: it is unread again then. `null` brings it back at once. */
export const snoozeNotification = writeOperation({
  id: 'notifications.snooze',
  method: 'POST',
  path: '/v1/notifications/{id}/snooze',
  summary: 'Snooze a notification',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: notificationNoun,
  body: { until: described(Nullable(Moment), 'When it comes back, in Unix seconds; null for at once.') },
  returns: Notification,
  emits: [],
  example: { params: { id: '{notification}' }, body: { until: 1_785_931_200 } },
  handle(context) {
    const { now, body } = context
    if (body.until === null) return mark(context, { snoozed_until: null })
    const until = millis(body.until)
    if (until <= now || until > now + inbox_limits.inbox_snooze_max_ms) {
      const message = `until cannot be ${body.until}. Use a time after the present and at most 366 days ahead.`
      throw refuse('invalid_request_body', { param: 'until', message })
    }
    return mark(context, { snoozed_until: until, read_at: null })
  },
})
