/**
 * Dates in words, in the person's time zone: "tomorrow", "fri", "next mon", "in 2 weeks", "end of month", "5 dec", "2026-12-05",
 * "5.12.". The result is the wall time at which a day begins; a day of the week is the next one, and a day without a year is the next one, too.
 */
import { dayInWeek, momentOf, plusWallDays, startOfWallDay, wallDay, wallOf } from '../../design/wall-time.ts'

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = 'january february march april may june july august september october november december'.split(' ')
const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** The day that `text` names, at its beginning; null if it names none. `now` is in milliseconds. */
export function dayOf(text: string, now: number): Date | null {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const today = startOfWallDay(wallOf(now / 1000))
  return namedDay(words, today) ?? weekday(words, today) ?? distance(words, today) ?? calendarDay(words, today)
}

/** The last second of a day, as due dates have it, in Unix seconds. */
export function endOfDay(day: Date): number {
  return momentOf(plusWallDays(day, 1)) - 1
}

function namedDay(words: string, today: Date): Date | null {
  const toNextWeek = 7 - dayInWeek(today)
  const named: Readonly<Record<string, () => Date>> = {
    today: () => today,
    tomorrow: () => plusWallDays(today, 1),
    tmr: () => plusWallDays(today, 1),
    yesterday: () => plusWallDays(today, -1),
    'next week': () => plusWallDays(today, toNextWeek),
    'end of week': () => plusWallDays(today, toNextWeek - 1),
    'next month': () => wallDay(today.getUTCFullYear(), today.getUTCMonth() + 1, 1),
    'end of month': () => wallDay(today.getUTCFullYear(), today.getUTCMonth() + 1, 0),
  }
  return Object.hasOwn(named, words) ? (named[words]?.() ?? null) : null
}

function weekday(words: string, today: Date): Date | null {
  const match = /^(this |next |on )?([a-z]{3,9})$/.exec(words)
  const at = match === null ? -1 : weekdays.findIndex((day) => day.startsWith(match[2] ?? ' '))
  if (match === null || at === -1) return null
  const days = (at - today.getUTCDay() + 7) % 7 || 7
  const isNextWeek = match[1] === 'next ' && days < 7 - dayInWeek(today)
  return plusWallDays(today, isNextWeek ? days + 7 : days)
}

function distance(words: string, today: Date): Date | null {
  const match = /^(?:in (\d{1,3}|[a-z]+) ?(d|days?|w|weeks?|m|months?|y|years?)|(\d{1,3})([dw]))$/.exec(words)
  if (match === null) return null
  const word = match[1] ?? match[3] ?? ''
  const count = /^\d/.test(word) ? Number(word) : word === 'a' || word === 'an' ? 1 : numbers.indexOf(word)
  if (count < 0) return null
  const unit = (match[2] ?? match[4])?.[0]
  if (unit === 'd') return plusWallDays(today, count)
  if (unit === 'w') return plusWallDays(today, 7 * count)
  const month = today.getUTCMonth() + (unit === 'm' ? count : 12 * count)
  // The last day of a shorter month stands for its missing days.
  const last = wallDay(today.getUTCFullYear(), month + 1, 0).getUTCDate()
  return wallDay(today.getUTCFullYear(), month, Math.min(today.getUTCDate(), last))
}

function calendarDay(words: string, today: Date): Date | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words)
  if (iso !== null) return validDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(words)
  if (dotted !== null) return nextDay(Number(dotted[1]), Number(dotted[2]), dotted[3], today)
  const named =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})|([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?)(?:,? (\d{4}))?$/.exec(words)
  if (named === null) return null
  const name = named[2] ?? named[3] ?? ''
  const month = months.findIndex((each) => each.startsWith(name)) + 1
  return month === 0 ? null : nextDay(Number(named[1] ?? named[4]), month, named[5], today)
}

function nextDay(day: number, month: number, year: string | undefined, today: Date): Date | null {
  if (year !== undefined) return validDay(Number(year), month, day)
  const own = validDay(today.getUTCFullYear(), month, day)
  return own !== null && own < today ? validDay(today.getUTCFullYear() + 1, month, day) : own
}

/** Null for a day that the month does not have. */
function validDay(year: number, month: number, day: number): Date | null {
  const date = wallDay(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null
}
