/** Weeks of a timesheet, Monday to Sunday in the reader's time zone. A day is written `YYYY-MM-DD`. */
import type { TimeEntry } from '@atrium/sdk'
import { date } from '../../design/index.ts'
import { textLanguage } from '../../language/index.ts'

/** One person's day in the timesheet; `person` is a user id. */
export interface Cell {
  readonly person: string
  readonly day: string
}

/** Noon, so that no change of daylight saving time moves it to another day. */
function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00`)
}

/** Whether a text from the URL is a day of the calendar. */
export function isDay(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(noonOf(text).getTime())
}

export function dayOf(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** The Monday of a day's week. */
export function mondayOf(day: string): string {
  return addDays(day, -((noonOf(day).getDay() + 6) % 7))
}

export function addDays(day: string, days: number): string {
  const at = noonOf(day)
  at.setDate(at.getDate() + days)
  return dayOf(at)
}

/** Hours and minutes: `1:30`. */
export function hours(ms: number): string {
  if (ms === 0) return '—'
  const minutes = Math.round(ms / 60_000)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

const weekFormat = new Intl.DateTimeFormat(textLanguage(), { day: 'numeric', month: 'short', year: 'numeric' })
const longFormat = new Intl.DateTimeFormat(textLanguage(), { dateStyle: 'full' })

/** The week that starts on a Monday: `Nov 16 – 22, 2026`. */
export function weekText(monday: string): string {
  return weekFormat.formatRange(noonOf(monday), noonOf(addDays(monday, 6)))
}

/** A day in a week: `20 Fri`. */
export function dayText(day: string): string {
  return noonOf(day).toLocaleDateString(textLanguage(), { weekday: 'short', day: 'numeric' })
}

export function shortDay(day: string): string {
  return date(noonOf(day).getTime() / 1000)
}

export function longDay(day: string): string {
  return longFormat.format(noonOf(day))
}

/** The day on which an entry started. */
export function dayOfEntry({ started_at }: Pick<TimeEntry, 'started_at'>): string {
  return dayOf(new Date(started_at * 1000))
}

/** The sum in milliseconds; a running timer counts up to now. */
export function worked(entries: readonly TimeEntry[]): number {
  const now = Date.now()
  return entries.reduce(
    (sum, { duration_ms, started_at }) => sum + (duration_ms ?? Math.max(0, now - started_at * 1000)),
    0,
  )
}
