/** Reads of the inbox. */
import type { Notification } from '@atrium/sdk'
import { useList, useObject } from '../../data/index.ts'

/** What the clock writes has no event, so the inbox is also looked at once a minute. */
const every_ms = 60_000

export type View = 'open' | 'unread' | 'snoozed'

export function useEntries(view: View) {
  return useList<Notification>(
    'notification',
    { view },
    (atrium, cursor, signal) =>
      atrium.notifications.list({ state: view, limit: 100, starting_after: cursor }, { signal }),
    { every_ms },
  )
}

export function useUnreadCount() {
  return useObject(
    'notification_count',
    'own',
    (atrium, _, signal) => atrium.notifications.count(undefined, { signal }),
    {
      every_ms,
    },
  )
}

/** Entries about the same subject, newest first. */
export interface Group {
  readonly subject: Notification['subject']
  readonly entries: readonly Notification[]
  readonly newest: Notification
  readonly isUnread: boolean
}

/** Groups in the order of their newest entries; an entry that was put off counts from when it came back. */
export function groupsOf(entries: readonly Notification[]): Group[] {
  const bySubject = Map.groupBy(entries, ({ subject }) => subject.id)
  const groups = [...bySubject.values()].map((of): Group => {
    const newest = of[0] as Notification
    return { subject: newest.subject, entries: of, newest, isUnread: of.some(({ read_at }) => read_at === null) }
  })
  const orderOf = ({ entries }: Group) =>
    Math.max(...entries.map(({ created, snoozed_until }) => Math.max(created, snoozed_until ?? 0)))
  return groups.sort((a, b) => orderOf(b) - orderOf(a))
}
