/**
 * Days and clock times in the person's time zone. A wall time is a `Date` whose UTC fields are what a clock there shows, so that
 * counting days and months needs no time zone.
 */
import { chosenTimeZone, wallFormat, weekStartsOn } from './time-format.ts'

const day_ms = 86_400_000
const week_days = 7

/** What a clock shows at a moment, in Unix seconds. */
export function wallOf(at: number): Date {
  const ms = at * 1000
  return new Date(ms + offsetAt(ms))
}

/** When a clock shows a wall time, in Unix seconds. Of two such moments the first; a time that summer time leaves out comes an hour later. */
export function momentOf(wall: Date): number {
  const shown = wall.getTime()
  const [before, after] = [offsetAt(shown - day_ms), offsetAt(shown + day_ms)]
  const isValid = (offset: number) => offsetAt(shown - offset) === offset
  const offset = before === after || isValid(before) || !isValid(after) ? before : after
  return Math.floor((shown - offset) / 1000)
}

/** The wall time of a calendar date; days and months beyond the ends of a month or year count on. */
export function wallDay(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month, day))
}

/** The beginning of a wall time's day. */
export function startOfWallDay(wall: Date): Date {
  return wallDay(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
}

export function plusWallDays(wall: Date, days: number): Date {
  return new Date(wall.getTime() + days * day_ms)
}

/** How many days a day is after the first day of the person's week. */
export function dayInWeek(wall: Date): number {
  return (wall.getUTCDay() + week_days - (weekStartsOn() % week_days)) % week_days
}

/** `YYYY-MM-DD`. */
export function calendarDay(wall: Date): string {
  return wall.toISOString().slice(0, 10)
}

/** The wall time at which a calendar day, `YYYY-MM-DD`, begins. */
export function wallOfDay(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}

export function today(): string {
  return calendarDay(wallOf(Date.now() / 1000))
}

const in_year = wallFormat({ month: 'short', day: 'numeric' })
const with_year = wallFormat({ month: 'short', day: 'numeric', year: 'numeric' })

/** A calendar day: Mar 12; with the year if it is not the current one. */
export function shortDay(day: string): string {
  const isThisYear = day.slice(0, 4) === today().slice(0, 4)
  return (isThisYear ? in_year() : with_year()).format(wallOfDay(day))
}

/** How far clocks are ahead of UTC at a moment; all in milliseconds. */
function offsetAt(ms: number): number {
  const zone = chosenTimeZone()
  if (zone === null) return -new Date(ms).getTimezoneOffset() * 60_000
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of fieldsIn(zone).formatToParts(ms)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  const shown = Date.UTC(year, month - 1, day, hour, minute, second)
  return shown - Math.floor(ms / 1000) * 1000
}

let fields: { readonly zone: string; readonly format: Intl.DateTimeFormat } | null = null

function fieldsIn(zone: string): Intl.DateTimeFormat {
  if (fields?.zone !== zone) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
    fields = { zone, format: new Intl.DateTimeFormat('en-US', { timeZone: zone, ...numeric, ...clock }) }
  }
  return fields.format
}
