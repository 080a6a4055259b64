/** Calendar days in the person's time zone, as `YYYY-MM-DD`, and the periods that a calendar shows. */
import { rangeText, wallFormat } from '../../../design/time-format.ts'
import {
  calendarDay,
  dayInWeek,
  momentOf,
  plusWallDays,
  wallDay,
  wallOf,
  wallOfDay,
} from '../../../design/wall-time.ts'

export type Day = string
export type Span = 'month' | 'week'

const week_days = 7

/** The day of a time in Unix seconds. */
export function dayOf(at: number): Day {
  return calendarDay(wallOf(at))
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(wallOfDay(text).getTime())
}

/** The first second of a day, in Unix seconds. Days with a change of the clock have 23 or 25 hours. */
export function startOf(day: Day): number {
  return momentOf(wallOfDay(day))
}

export function addDays(day: Day, count: number): Day {
  return calendarDay(plusWallDays(wallOfDay(day), count))
}

/** Whole weeks that contain the month or week of a day. */
export function shownDays(span: Span, at: Day): readonly Day[] {
  if (span === 'week') return daysFrom(startOfWeek(at), week_days)
  const wall = wallOfDay(at)
  const first = startOfWeek(calendarDay(wallDay(wall.getUTCFullYear(), wall.getUTCMonth(), 1)))
  const last = calendarDay(wallDay(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0))
  const weeks = Math.ceil((daysBetween(first, last) + 1) / week_days)
  return daysFrom(first, weeks * week_days)
}

/** A day of the next or former period: the same weekday, or the same or last day of the month. */
export function movedBy(span: Span, at: Day, count: number): Day {
  if (span === 'week') return addDays(at, count * week_days)
  const wall = wallOfDay(at)
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth() + count]
  const last = wallDay(year, month + 1, 0).getUTCDate()
  return calendarDay(wallDay(year, month, Math.min(wall.getUTCDate(), last)))
}

export function isInMonth(day: Day, at: Day): boolean {
  return day.slice(0, 7) === at.slice(0, 7)
}

/**
 * When a task that moves to a day is due, in Unix seconds: at the same time of the day as before, or at its end if it had
 * no date.
 */
export function dueOn(day: Day, former: number | null): number {
  const wall = wallOfDay(day)
  const time = former === null ? null : wallOf(former)
  wall.setUTCHours(time?.getUTCHours() ?? 23, time?.getUTCMinutes() ?? 59, time?.getUTCSeconds() ?? 0)
  return momentOf(wall)
}

/** Whole days from one day to another. */
export function daysBetween(from: Day, to: Day): number {
  return (wallOfDay(to).getTime() - wallOfDay(from).getTime()) / 86_400_000
}

const month_name = wallFormat({ month: 'long', year: 'numeric' })
const week_name = wallFormat({ month: 'short', day: 'numeric', year: 'numeric' })
const day_name = wallFormat({ weekday: 'long', month: 'long', day: 'numeric' })
const short_day = wallFormat({ month: 'short', day: 'numeric' })
const weekday_name = wallFormat({ weekday: 'short' })

/** November 2026; Nov 23 – 29, 2026. */
export function periodName(span: Span, at: Day): string {
  if (span === 'month') return month_name().format(wallOfDay(at))
  const days = shownDays('week', at)
  return rangeText(week_name(), wallOfDay(days[0] ?? at), wallOfDay(days.at(-1) ?? at))
}

/** Tuesday, November 24. */
export function dayName(day: Day): string {
  return day_name().format(wallOfDay(day))
}

/** Tue. */
export function weekdayName(day: Day): string {
  return weekday_name().format(wallOfDay(day))
}

/** 24; Dec 1 on the first of a month. */
export function dayNumber(day: Day): string {
  const wall = wallOfDay(day)
  return wall.getUTCDate() === 1 ? short_day().format(wall) : String(wall.getUTCDate())
}

function daysFrom(first: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, i) => addDays(first, i))
}

/** The first day of the person's week that contains a day. */
export function startOfWeek(day: Day): Day {
  return addDays(day, -dayInWeek(wallOfDay(day)))
}
