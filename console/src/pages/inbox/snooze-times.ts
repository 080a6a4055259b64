/** The times to which an entry can be put off, in the time zone of the browser. */
import { t } from '../../language/index.ts'

export interface SnoozeTime {
  readonly label: string
  /** Unix seconds. */
  readonly at: number
}

const morning_hour = 9

export function snoozeTimes(now = new Date()): SnoozeTime[] {
  const morning = (days: number) => {
    const day = new Date(now)
    day.setDate(day.getDate() + days)
    day.setHours(morning_hour, 0, 0, 0)
    return Math.floor(day.getTime() / 1000)
  }
  // 1 is Monday.
  const toMonday = ((8 - now.getDay()) % 7) + (now.getDay() === 1 ? 7 : 0)
  return [
    { label: t('In 3 hours'), at: Math.floor(now.getTime() / 1000) + 3 * 3600 },
    { label: t('Tomorrow morning'), at: morning(1) },
    { label: t('Monday morning'), at: morning(toMonday) },
    { label: t('In a month'), at: morning(30) },
  ]
}
