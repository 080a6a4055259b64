/**
 * The time entries that the weeks of a timesheet add up. The API lists entries by creation, newest first: the newest ones are
 * read for every week, because an entry can be logged, or moved, ahead of its day, and earlier ones for a week that needs them.
 */
import type { TimeEntry } from '@atrium/sdk'
import { useAll } from '../../data/index.ts'
import { momentOf, startOfWallDay, wallOfDay } from '../../design/wall-time.ts'
import { entriesSince } from './entries-since.ts'

const newest_max = 1000
/** In 50 requests at most: 16 weeks of 12 people who log five entries a day. */
const earlier_max = 4000
/** Both reads have these entries, so that none is missed when new ones come between them. */
const overlap = 100

export const entries_max = newest_max + earlier_max - overlap

export interface WeekEntries {
  readonly data: readonly TimeEntry[] | undefined
  readonly error: Error | null
  readonly refetch: () => void
  /** Earlier entries, which are not read, may belong to the week. */
  readonly isCut: boolean
}

export function useWeekEntries(workspace: string | undefined, first: string | null): WeekEntries {
  const enabled = workspace !== undefined && first !== null
  const begin = first === null ? 0 : momentOf(startOfWallDay(wallOfDay(first)))
  const newest = useAll<TimeEntry>(
    'time_entry',
    { workspace },
    (atrium) => atrium.timeEntries.list({ workspace, limit: 100 }),
    { max: newest_max, enabled },
  )
  const needsEarlier = newest.data?.length === newest_max && isSince(newest.data, begin)
  const starting_after = newest.data?.at(-overlap)?.id
  const earlier = useAll<TimeEntry>(
    'time_entry',
    { workspace, since: begin },
    (atrium) => ({
      toArray: ({ max }) =>
        entriesSince(atrium.timeEntries.list({ workspace, limit: 100, starting_after }), begin, max),
    }),
    { max: earlier_max, enabled: enabled && needsEarlier },
  )
  const refetch = () => void Promise.all([newest.refetch(), needsEarlier && earlier.refetch()])
  if (newest.data === undefined || !needsEarlier)
    return { data: newest.data, error: newest.error, refetch, isCut: false }

  return {
    data: earlier.data && [...new Map([...earlier.data, ...newest.data].map((entry) => [entry.id, entry])).values()],
    error: newest.error ?? earlier.error,
    refetch,
    isCut: earlier.data?.length === earlier_max && isSince(earlier.data, begin),
  }
}

const isSince = (entries: readonly TimeEntry[], begin: number) => (entries.at(-1)?.created ?? 0) >= begin
