/** Weeks of a timesheet, in the person's time zone. A day is written `YYYY-MM-DD`. */
import type { TimeEntry } from '@atrium/sdk'
import { rangeText, wallFormat } from '../../design/time-format.ts'
import { calendarDay, dayInWeek, plusWallDays, wallOf, wallOfDay } from '../../design/wall-time.ts'

/** One person's day in the timesheet; `person` is a user id. */
export interface Cell {
  readonly person: string
  readonly day: string
}

/** Whether a text from the URL is a day of the calendar. */
export function isDay(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(wallOfDay(text).getTime())
}

/** The first day of a day's week. */
export function weekStartOf(day: string): string {
  return addDays(day, -dayInWeek(wallOfDay(day)))
}

export function addDays(day: string, days: number): string {
  return calendarDay(plusWallDays(wallOfDay(day), days))
}

/** Hours and minutes: `1:30`. */
export function hours(ms: number): string {
  if (ms === 0) return '—'
  const minutes = Math.round(ms / 60_000)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

const week_format = wallFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday_format = wallFormat({ weekday: 'short', day: 'numeric' })
const long_format = wallFormat({ dateStyle: 'full' })

/** The week that begins with a day: `Nov 16 – 22, 2026`. */
export function weekText(first: string): string {
  return rangeText(week_format(), wallOfDay(first), wallOfDay(addDays(first, 6)))
}

/** A day in a week: `20 Fri`. */
export function dayText(day: string): string {
  return weekday_format().format(wallOfDay(day))
}

export function longDay(day: string): string {
  return long_format().format(wallOfDay(day))
}

/** The day on which an entry started. */
export function dayOfEntry({ started_at }: Pick<TimeEntry, 'started_at'>): string {
  return calendarDay(wallOf(started_at))
}

/** The sum in milliseconds; a running timer counts up to now. */
export function worked(entries: readonly TimeEntry[]): number {
  const now = Date.now()
  return entries.reduce(
    (sum, { duration_ms, started_at }) => sum + (duration_ms ?? Math.max(0, now - started_at * 1000)),
    0,
  )
}
