/** Changes the marks of one entry for the operations that do. */
import type { AuditNote } from '../../api/declare/operation.ts'
import { applyChange } from '../../api/write/change.ts'
import type { NotificationRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { Notification } from './notification.ts'
import { type Rights, showNotifications } from './shared/shown.ts'

interface Marking {
  readonly target: NotificationRow
  readonly caller: Rights
  readonly tx: Tx
  readonly now: number
  note(note: AuditNote): void
}

/** Marks are the person's own affair: they have an audit entry and no event. A mark that is set already changes nothing. */
export async function mark(
  { target, caller, tx, now, note }: Marking,
  marks: Partial<Pick<NotificationRow, 'read_at' | 'snoozed_until'>>,
): Promise<Notification> {
  const changed = applyChange(tx, 'notifications', target, marks, now)
  if (changed !== null) note({ target: { object: 'notification', id: target.id }, unannounced: true })
  return (await showNotifications(tx, caller, [changed ?? target]))[0] as Notification
}
