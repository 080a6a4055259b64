import type { Operation } from '../../api/declare/operation.ts'
import { countNotifications } from './count.ts'
import { listNotifications } from './list.ts'
import { readNotification } from './read.ts'
import { readAllNotifications } from './read_all.ts'
import { retrieveNotification } from './retrieve.ts'
import { snoozeNotification } from './snooze.ts'
import { unreadNotification } from './unread.ts'

export const notifications: readonly Operation[] = [
  listNotifications,
  countNotifications,
  readAllNotifications,
  retrieveNotification,
  readNotification,
  unreadNotification,
  snoozeNotification,
]
