/** Writes of the inbox: all about a group of entries, because a person works through tasks, not through entries. */
import { inTurn, patch, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import type { Group } from './reads.ts'

const invalidates = ['notification']
const rereads = ['notification_count']
const now_s = () => Math.floor(Date.now() / 1000)

/** Marks all entries of a group read. */
export function useRead() {
  return useWrite({
    write: (atrium, { subject, newest }: Group) =>
      atrium.notifications.readAll({ subject: subject.id, through: newest.id }),
    changes: ({ entries }) =>
      entries
        .filter(({ read_at }) => read_at === null)
        .map(({ id }) => patch('notification', id, { read_at: now_s() })),
    invalidates,
    rereads,
    done: () => null,
  })
}

/** Marks the newest entry of a group unread. */
export function useUnreadMark() {
  return useWrite({
    write: (atrium, { newest }: Group) => atrium.notifications.unread(newest.id),
    changes: ({ newest }) => [patch('notification', newest.id, { read_at: null })],
    invalidates,
    rereads,
    done: () => null,
  })
}

interface Snoozing {
  readonly group: Group
  /** Unix seconds; null brings it back. */
  readonly until: number | null
  readonly said: string
}

/** Puts all entries of a group off. */
export function useSnooze() {
  return useWrite({
    write: (atrium, { group, until }: Snoozing, kept) =>
      inTurn(
        group.entries.map(
          ({ id }) =>
            () =>
              atrium.notifications.snooze(id, { until }),
        ),
        kept,
      ),
    changes: ({ group, until }) => group.entries.map(({ id }) => patch('notification', id, { snoozed_until: until })),
    invalidates,
    rereads,
    done: (_, { said }) => said,
    undo: (_, { group, until }) =>
      until === null
        ? null
        : (atrium) => Promise.all(group.entries.map(({ id }) => atrium.notifications.snooze(id, { until: null }))),
  })
}

/** Mutes the task of a group, and marks the group read. */
export function useMute() {
  return useWrite({
    write: async (atrium, { subject, newest }: Group) => {
      await atrium.tasks.watch.set(subject.id, { level: 'muted' })
      return await atrium.notifications.readAll({ subject: subject.id, through: newest.id })
    },
    invalidates,
    rereads: [...rereads, 'watch'],
    done: (_, { newest }) => t('{key} is muted', { key: newest.key ?? t('The task') }),
    undo:
      (_, { subject }) =>
      (atrium) =>
        atrium.tasks.watch.set(subject.id, { level: 'watching' }),
  })
}

export function useReadAll() {
  return useWrite({
    write: (atrium, through: string) => atrium.notifications.readAll({ through }),
    invalidates,
    rereads,
    done: ({ count }) => t('{count, plural, one {1 entry marked read} other {# entries marked read}}', { count }),
  })
}
