/**
 * Dates as exports write them, as Unix seconds. A date that could be two days is refused until its order is named; one
 * without an offset is of the zone that is named, one without a time is the beginning of its day.
 */
import { quoted } from '../lib/quoted.ts'
import { import_limits } from './limits.ts'
import { Unusable } from './unusable.ts'

export const date_orders = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof date_orders)[number]

export interface DateForm {
  readonly order?: DateOrder | undefined
  /** An IANA time zone. */
  readonly zone: string
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const time = String.raw`(?:[T ,]+(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?\s*(?<half>[ap]\.?m\.?)?\s*(?<offset>Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$`
/** The ways in which days are written that are understood. */
export const forms: readonly RegExp[] = [
  String.raw`^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`,
  String.raw`^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}|\d\d)`,
  String.raw`^(?:[a-z]{3,9},? )?(?<day>\d{1,2})[/ .-]+(?<month>[a-z]{3,9})\.?[/ ,-]+(?<year>\d{4}|\d\d)`,
  String.raw`^(?:[a-z]{3,9},? )?(?<month>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})`,
  String.raw`^(?<a>\d{1,2})[/-](?<b>\d{1,2})[/-](?<year>\d{4}|\d\d)`,
].map((form) => new RegExp(form + time, 'i'))

type Parts = Readonly<Record<string, string | undefined>>

/** Unix seconds of a text. Throws Unusable with what is wrong. */
export function readDate(text: string, form: DateForm): number {
  const given = text.trim()
  if (/^\d{9,10}$/.test(given)) return Number(given)
  if (/^\d{12,13}$/.test(given)) return Math.floor(Number(given) / 1000)
  // The forms take time that grows faster than the text.
  for (const each of given.length > import_limits.date_chars_max ? [] : forms) {
    const parts = each.exec(given)?.groups
    if (parts !== undefined) return moment(given, parts, form)
  }
  throw new Unusable(`is not a date: ${quoted(given)}; write 2026-08-04, 4/Aug/26 9:30 AM or 04.08.2026`)
}

function moment(given: string, parts: Parts, form: DateForm): number {
  const { day, month } = parts.a === undefined ? named(parts) : ordered(parts, form.order)
  const short = Number(parts.year)
  const year = parts.year?.length === 2 ? short + (short < 70 ? 2000 : 1900) : short
  const hour = hourOf(parts)
  const fields = { year, month, day, hour, minute: Number(parts.minute ?? 0), second: Number(parts.second ?? 0) }
  const wall = wallClock(fields, given)
  const offset = parts.offset?.toUpperCase()
  const seconds = offset === undefined ? instantIn(form.zone, wall) : wall - offsetSeconds(offset)
  if (seconds < 0) throw new Unusable('is before 1970')
  return seconds
}

type WallClock = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>

/** What a clock shows, as the seconds that a clock in UTC shows it at. */
function wallClock({ year, month, day, hour, minute, second }: WallClock, given: string): number {
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // The 31st of February is read as a day of March.
  const isSame = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  if (!isSame || hour > 23 || minute > 59 || second > 59) {
    throw new Unusable(`is not a day of the calendar: ${quoted(given)}`)
  }
  return at.getTime() / 1000
}

/** `+02:00`, `-0530`, `Z`, `GMT` */
function offsetSeconds(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
}

/**
 * When a zone's clock shows this. A time that the clock leaves out comes as long after the change as it would have come; of
 * one that it shows twice, the first is meant. `Temporal` does the same, but not every browser has it.
 */
function instantIn(zone: string, wall: number): number {
  const before = offsetIn(zone, wall - day_s)
  const [first, second] = [wall - before, wall - offsetIn(zone, wall + day_s)]
  if (offsetIn(zone, first) === before) return first
  return offsetIn(zone, second) === wall - second ? second : first
}

const day_s = 86_400
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  const found = clocks.get(zone) ?? new Intl.DateTimeFormat('en', { ...clock_parts, timeZone: zone })
  clocks.set(zone, found)
  return found
}

const numeric = 'numeric'
const clock_parts: Intl.DateTimeFormatOptions = {
  ...{ calendar: 'iso8601', hourCycle: 'h23' as const },
  ...({ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric } as const),
}

function partsIn(zone: string, seconds: number): WallClock {
  const parts = clockOf(zone).formatToParts(seconds * 1000)
  const { year = 0, ...rest } = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  return { year, month: 0, day: 0, hour: 0, minute: 0, second: 0, ...rest }
}

/** By how many seconds the clock of a zone is ahead of UTC. */
function offsetIn(zone: string, seconds: number): number {
  return wallClock(partsIn(zone, seconds), zone) - seconds
}

/** The calendar day of a date as exports write it, `YYYY-MM-DD`, in the zone of the file. */
export function readDay(text: string, form: DateForm): string {
  const { year, month, day } = partsIn(form.zone, readDate(text, form))
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-')
}

/** Whether a text is a date of the calendar, `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

function named({ day, month = '' }: Parts): { day: number; month: number } {
  const index = /^\d/.test(month) ? Number(month) : months.indexOf(month.slice(0, 3).toLowerCase()) + 1
  if (index === 0) throw new Unusable(`has an unknown month: ${quoted(month)}`)
  return { day: Number(day), month: index }
}

/** 3/4/2026: which is the day? */
function ordered(parts: Parts, order: DateOrder | undefined): { day: number; month: number } {
  const [a, b] = [Number(parts.a), Number(parts.b)]
  if (order === 'dmy') return { day: a, month: b }
  if (order === 'mdy') return { day: b, month: a }
  if (a > 12 && b <= 12) return { day: a, month: b }
  if (b > 12 && a <= 12) return { day: b, month: a }
  throw new Unusable('can mean two days', { kind: 'date_order', word: '' })
}

function hourOf({ hour = '0', half }: Parts): number {
  const given = Number(hour)
  if (half === undefined) return given
  if (given < 1 || given > 12) throw new Unusable(`has the hour ${given} with AM or PM; hours go from 1 to 12`)
  return (given % 12) + (/^p/i.test(half) ? 12 : 0)
}

/** Whether there is a time zone of this name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
