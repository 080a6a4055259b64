/** When the runs of a list were created: a span or a range of days, in the address and as the API takes it. */
import { wallFormat } from '../../design/time-format.ts'
import { momentOf, plusWallDays, startOfWallDay, wallOf, wallOfDay } from '../../design/wall-time.ts'

/** Whole days that end today. */
export const day_counts = { today: 1, '7d': 7, '30d': 30 } as const

/** A range of days `YYYY-MM-DD`, both included; an empty end is open. */
export interface Days {
  readonly from: string
  readonly until: string
}

export type RunTime = keyof typeof day_counts | Days

const day_form = /^\d{4}-\d{2}-\d{2}$/

/** Reads the time of an address; null if it means none. */
export function timeOf(text: string): RunTime | null {
  if (text in day_counts) return text as keyof typeof day_counts
  const [from = '', until = '', ...more] = text.split('..')
  if (!text.includes('..') || more.length > 0 || (from === '' && until === '')) return null
  return isDay(from) && isDay(until) ? { from, until } : null
}

function isDay(text: string): boolean {
  return text === '' || (day_form.test(text) && !Number.isNaN(wallOfDay(text).getTime()))
}

export function timeText(time: RunTime): string {
  return typeof time === 'string' ? time : `${time.from}..${time.until}`
}

/** The API's times, which are exclusive, of days in the person's time zone. `now` is in milliseconds. */
export function rangeOf(time: RunTime, now: number): { created_after?: number; created_before?: number } {
  if (typeof time === 'string') return { created_after: startOf(wallOf(now / 1000), 1 - day_counts[time]) - 1 }
  return {
    ...(time.from !== '' && { created_after: startOf(wallOfDay(time.from), 0) - 1 }),
    ...(time.until !== '' && { created_before: startOf(wallOfDay(time.until), 1) }),
  }
}

/** The start of the day that is `more` days later, in Unix seconds; 1 at the earliest, so that a second before it is a time. */
function startOf(wall: Date, more: number): number {
  return Math.max(1, momentOf(plusWallDays(startOfWallDay(wall), more)))
}

const medium = wallFormat({ dateStyle: 'medium' })

/** A day `YYYY-MM-DD` as the person writes dates: Nov 28, 2026. */
export function dayName(day: string): string {
  return medium().format(wallOfDay(day))
}
