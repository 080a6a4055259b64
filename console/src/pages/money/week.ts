/** Weeks of a timesheet: Monday to Sunday, where the reader is. Days are told as `YYYY-MM-DD`. */
import type { TimeEntry } from '@atrium/sdk'

/** What somebody, a user's id, worked on a day. */
export interface Cell {
  readonly person: string
  readonly day: string
}

/** Whether a text of the address is a day of the calendar. */
export function isDay(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T12:00:00`))
}

export function dayOf(at: Date): string {
  const part = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`
}

/** The Monday of the week that a day lies in. */
export function mondayOf(day: string): string {
  const at = new Date(`${day}T12:00:00`)
  at.setDate(at.getDate() - ((at.getDay() + 6) % 7))
  return dayOf(at)
}

export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T12:00:00`)
  at.setDate(at.getDate() + days)
  return dayOf(at)
}

/** Hours and minutes, as timesheets have them. */
export function hours(ms: number): string {
  if (ms === 0) return '—'
  const minutes = Math.round(ms / 60_000)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

/** The week from a Monday on, as people say it: `Nov 16 – 22, 2026`. */
export function weekText(monday: string): string {
  const format = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
  return format.formatRange(new Date(`${monday}T12:00:00`), new Date(`${addDays(monday, 6)}T12:00:00`))
}

/** A day in a week: `20 Fri`. */
export function dayText(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString('en', { weekday: 'short', day: 'numeric' })
}

/** The day on which an entry began. */
export function dayOfEntry({ started_at }: Pick<TimeEntry, 'started_at'>): string {
  return dayOf(new Date(started_at * 1000))
}

/** Milliseconds; a timer that runs counts up to now. */
export function worked(entries: readonly TimeEntry[]): number {
  const now = Date.now()
  return entries.reduce(
    (all, { duration_ms, started_at }) => all + (duration_ms ?? Math.max(0, now - started_at * 1000)),
    0,
  )
}
