/** Calendar days in the person's time zone, as `YYYY-MM-DD`, and the periods that a calendar shows. Weeks begin on Monday. */
import { textLanguage } from '../../../language/index.ts'

export type Day = string
export type Span = 'month' | 'week'

const week_days = 7

/** The day of a time in Unix seconds. */
export function dayOf(at: number): Day {
  return textOf(new Date(at * 1000))
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(dateOf(text).getTime())
}

/** The first second of a day, in Unix seconds. Days with a change of the clock have 23 or 25 hours. */
export function startOf(day: Day): number {
  return dateOf(day).getTime() / 1000
}

export function addDays(day: Day, count: number): Day {
  const date = dateOf(day)
  return textOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() + count))
}

/** Whole weeks that contain the month or week of a day. */
export function shownDays(span: Span, at: Day): readonly Day[] {
  if (span === 'week') return daysFrom(mondayOf(at), week_days)
  const date = dateOf(at)
  const first = mondayOf(textOf(new Date(date.getFullYear(), date.getMonth(), 1)))
  const last = textOf(new Date(date.getFullYear(), date.getMonth() + 1, 0))
  const weeks = Math.ceil((daysBetween(first, last) + 1) / week_days)
  return daysFrom(first, weeks * week_days)
}

/** A day of the next or former period: the same weekday, or the same or last day of the month. */
export function movedBy(span: Span, at: Day, count: number): Day {
  if (span === 'week') return addDays(at, count * week_days)
  const date = dateOf(at)
  const last = new Date(date.getFullYear(), date.getMonth() + count + 1, 0).getDate()
  return textOf(new Date(date.getFullYear(), date.getMonth() + count, Math.min(date.getDate(), last)))
}

export function isInMonth(day: Day, at: Day): boolean {
  return day.slice(0, 7) === at.slice(0, 7)
}

/**
 * When a task that moves to a day is due, in Unix seconds: at the same time of the day as before, or at its end if it had
 * no date.
 */
export function dueOn(day: Day, former: number | null): number {
  const date = dateOf(day)
  const time = former === null ? null : new Date(former * 1000)
  date.setHours(time?.getHours() ?? 23, time?.getMinutes() ?? 59, time?.getSeconds() ?? 0)
  return Math.floor(date.getTime() / 1000)
}

/** Whole days from one day to another. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((startOf(to) - startOf(from)) / 86_400)
}

const month_name = new Intl.DateTimeFormat(textLanguage(), { month: 'long', year: 'numeric' })
const day_name = new Intl.DateTimeFormat(textLanguage(), { weekday: 'long', month: 'long', day: 'numeric' })
const short_day = new Intl.DateTimeFormat(textLanguage(), { month: 'short', day: 'numeric' })
const weekday_name = new Intl.DateTimeFormat(textLanguage(), { weekday: 'short' })

/** November 2026; Nov 23 – 29, 2026. */
export function periodName(span: Span, at: Day): string {
  if (span === 'month') return month_name.format(dateOf(at))
  const days = shownDays('week', at)
  const [first, last] = [dateOf(days[0] ?? at), dateOf(days.at(-1) ?? at)]
  const end = first.getMonth() === last.getMonth() ? String(last.getDate()) : short_day.format(last)
  return `${short_day.format(first)} – ${end}, ${last.getFullYear()}`
}

/** Tuesday, November 24. */
export function dayName(day: Day): string {
  return day_name.format(dateOf(day))
}

/** Tue. */
export function weekdayName(day: Day): string {
  return weekday_name.format(dateOf(day))
}

/** 24; Dec 1 on the first of a month. */
export function dayNumber(day: Day): string {
  const date = dateOf(day)
  return date.getDate() === 1 ? short_day.format(date) : String(date.getDate())
}

function daysFrom(first: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, i) => addDays(first, i))
}

function mondayOf(day: Day): Day {
  return addDays(day, -((dateOf(day).getDay() + week_days - 1) % week_days))
}

function dateOf(day: Day): Date {
  return new Date(`${day}T00:00:00`)
}

function textOf(date: Date): Day {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
