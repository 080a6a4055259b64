/** The times to which an entry can be put off, in the person's time zone. */
import { momentOf, plusWallDays, startOfWallDay, wallOf } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'

export interface SnoozeTime {
  readonly label: string
  /** Unix seconds. */
  readonly at: number
}

const morning_ms = 9 * 3_600_000

/** `now` is in Unix seconds. */
export function snoozeTimes(now = Math.floor(Date.now() / 1000)): SnoozeTime[] {
  const today = startOfWallDay(wallOf(now))
  const morning = (days: number) => momentOf(new Date(plusWallDays(today, days).getTime() + morning_ms))
  // 1 is Monday.
  const toMonday = (8 - today.getUTCDay()) % 7 || 7
  return [
    { label: t('In 3 hours'), at: now + 3 * 3600 },
    { label: t('Tomorrow morning'), at: morning(1) },
    { label: t('Monday morning'), at: morning(toMonday) },
    { label: t('In a month'), at: morning(30) },
  ]
}
