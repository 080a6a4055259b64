/**
 * Days and periods as values of a filter. The filter language counts from `today`, a day in UTC, by days and weeks; it has
 * no word for the beginning of a week. A picked day and "This week" are therefore fixed: as instants of the person's time
 * zone, and for custom fields, whose dates have no time zone, as calendar dates.
 */

import {
  calendarDay,
  dayInWeek,
  momentOf,
  plusWallDays,
  startOfWallDay,
  wallOf,
  wallOfDay,
} from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'
import { type Chip, type ChipValue, chipsOf, type Operator, textOf } from './chips.ts'
import { customKey } from './fields.ts'

const week_days = 7
const word = (text: string): ChipValue => ({ text, quoted: false })

/** Periods that stay relative. */
export const periods: readonly (readonly [label: string, from: string, until: string])[] = [
  [t('Next 7 days'), 'today', 'today+6d'],
  [t('Next 30 days'), 'today', 'today+29d'],
  [t('Last 7 days'), 'today-6d', 'today'],
  [t('Last 30 days'), 'today-29d', 'today'],
]
export const days = ['today', 'today+1d', 'today-1d', 'today+7d', 'today-7d', 'today-30d']

/** Whether the days of a property may lie ahead. */
export function isPlanned(property: string): boolean {
  return property === 'due_at' || property === 'start_at' || customKey(property) !== undefined
}

/** The first and last second of the person's week of `now` (Unix seconds), or its first and last day. */
export function weekOf(property: string, now: number): readonly [ChipValue, ChipValue] {
  const today = startOfWallDay(wallOf(now))
  const first = plusWallDays(today, -dayInWeek(today))
  const next = plusWallDays(first, week_days)
  const [from, until] =
    customKey(property) === undefined
      ? [localInstant(momentOf(first)), localInstant(momentOf(next) - 1)]
      : [calendarDay(first), calendarDay(plusWallDays(next, -1))]
  return [word(from), word(until)]
}

export function isWeekOf(property: string, values: readonly ChipValue[], now: number): boolean {
  const week = weekOf(property, now)
  return week.every(({ text }, i) => values[i]?.text === text)
}

/** The chip of a picked day, `YYYY-MM-DD`. */
export function dayChip(property: string, operator: Operator, picked: string): Chip {
  if (customKey(property) !== undefined) {
    return { property, operator: operator === 'within' ? 'is' : operator, values: [word(picked)] }
  }
  const start = word(localInstant(momentOf(wallOfDay(picked))))
  const end = word(localInstant(momentOf(plusWallDays(wallOfDay(picked), 1)) - 1))
  if (operator === 'is' || operator === 'within') return { property, operator: 'within', values: [start, end] }
  return { property, operator, values: [operator === 'after' || operator === 'until' ? end : start] }
}

/** A moment, in Unix seconds, in the person's time zone: `2026-12-01T00:00:00+01:00`. */
export function localInstant(at: number): string {
  const wall = wallOf(at)
  const offset = minutesAhead(at)
  return `${wall.toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`
}

/** How far the person's clocks are ahead of UTC. */
function minutesAhead(at: number): number {
  return (wallOf(at).getTime() - at * 1000) / 60_000
}

function two(part: number): string {
  return String(Math.trunc(Math.abs(part))).padStart(2, '0')
}

/** Whether days of the person are not the days of UTC. */
export function hasOtherDays(now: number): boolean {
  return minutesAhead(now) !== 0
}

/** A filter without the fixed days of "This week", and the period that stands for them. */
export interface LastingFilter {
  readonly text: string
  /** Null if the filter has no "This week". */
  readonly period: string | null
}

/**
 * A filter to be used for longer than a week: "This week" becomes the next 7 days from `today`, or the last 7 days where
 * days lie only behind. The language has no word for the beginning of a week.
 */
export function lastingFilter(text: string, now: number): LastingFilter {
  const { chips, advanced } = chipsOf(text)
  let period: string | null = null
  const lasting = chips.map((chip) => {
    if (chip.operator !== 'within' || !isWeekOf(chip.property, chip.values, now)) return chip
    const [label, from, until] = periods[isPlanned(chip.property) ? 0 : 2] ?? ['', '', '']
    period = label
    return { ...chip, values: [word(from), word(until)] }
  })
  return period === null ? { text, period } : { text: textOf({ chips: lasting, advanced }), period }
}
