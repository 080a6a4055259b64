/**
 * Dates as exports write them, as Unix seconds. A date that could be two days is refused until its order is named; one
 * without an offset is of the zone that is named, one without a time is the beginning of its day.
 */
import { quoted } from '../print.ts'
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
  for (const each of forms) {
    const parts = each.exec(given)?.groups
    if (parts !== undefined) return moment(parts, form)
  }
  throw new Unusable(`is not a date: ${quoted(given)}; write 2026-08-04, 4/Aug/26 9:30 AM or 04.08.2026`)
}

function moment(parts: Parts, form: DateForm): number {
  const { day, month } = parts.a === undefined ? named(parts) : ordered(parts, form.order)
  const short = Number(parts.year)
  const year = parts.year?.length === 2 ? short + (short < 70 ? 2000 : 1900) : short
  const hour = hourOf(parts)
  const fields = { year, month, day, hour, minute: Number(parts.minute ?? 0), second: Number(parts.second ?? 0) }
  try {
    const plain = Temporal.PlainDateTime.from(fields, { overflow: 'reject' })
    const offset = parts.offset?.toUpperCase()
    const zone = offset === undefined ? form.zone : /^[ZUG]/.test(offset) ? 'UTC' : withColon(offset)
    const seconds = Math.floor(plain.toZonedDateTime(zone).epochMilliseconds / 1000)
    if (seconds < 0) throw new Unusable('is before 1970')
    return seconds
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable('is not a day of the calendar')
  }
}

const withColon = (offset: string): string =>
  offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`

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
  throw new Unusable('can mean two days; give --date-order dmy or mdy')
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
