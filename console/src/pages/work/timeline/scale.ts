/** The time axis of the timeline: which days it shows, how wide a day is, and what its head says. */

import { wallFormat } from '../../../design/time-format.ts'
import { calendarDay, wallDay, wallOfDay } from '../../../design/wall-time.ts'
import { t } from '../../../language/index.ts'
import { addDays, type Day, dayOf, daysBetween, startOf, startOfWeek } from '../calendar/days.ts'

export type Zoom = 'week' | 'month' | 'quarter'

export const zooms: readonly { readonly value: Zoom; readonly label: string }[] = [
  { value: 'week', label: t('Week') },
  { value: 'month', label: t('Month') },
  { value: 'quarter', label: t('Quarter') },
]

/** Pixels of a day, and weeks on either side of the day around which the axis is drawn. */
const zoom_sizes: Readonly<Record<Zoom, { readonly day_px: number; readonly weeks: number }>> = {
  week: { day_px: 56, weeks: 26 },
  month: { day_px: 20, weeks: 78 },
  quarter: { day_px: 6, weeks: 260 },
}
const week_days = 7
const day_seconds = 86_400

export interface Scale {
  readonly zoom: Zoom
  readonly day_px: number
  /** The first day of a week. */
  readonly first: Day
  readonly days: number
}

export function scaleOf(zoom: Zoom, at: Day): Scale {
  const { day_px, weeks } = zoom_sizes[zoom]
  return { zoom, day_px, first: addDays(startOfWeek(at), -weeks * week_days), days: 2 * weeks * week_days }
}

export function readZoom(text: string): Zoom {
  return zooms.find(({ value }) => value === text)?.value ?? 'month'
}

/** Pixels from the start of the axis to the start of a day. */
export function dayX(scale: Scale, day: Day): number {
  return daysBetween(scale.first, day) * scale.day_px
}

/** The place of a moment, in Unix seconds. */
export function momentX(scale: Scale, at: number): number {
  const day = dayOf(at)
  return dayX(scale, day) + ((at - startOf(day)) / day_seconds) * scale.day_px
}

export function dayAt(scale: Scale, x: number): Day {
  return addDays(scale.first, Math.floor(x / scale.day_px))
}

export interface Tick {
  readonly day: Day
  readonly x: number
  readonly width: number
  readonly text: string
}

/** The upper and the lower line of the head between two places, in pixels. */
export function ticksOf(scale: Scale, from: number, to: number): { readonly upper: Tick[]; readonly lower: Tick[] } {
  const first = dayAt(scale, Math.max(0, from))
  const last = dayAt(scale, Math.min(scale.days * scale.day_px - 1, to))
  const { zoom } = scale
  if (zoom === 'quarter') return { upper: spans(scale, first, last, 12), lower: spans(scale, first, last, 1) }
  const step = zoom === 'week' ? 1 : week_days
  const lower: Tick[] = []
  for (let day = startOfWeek(first); day <= last; day = addDays(day, step)) {
    const wall = wallOfDay(day)
    const text = zoom === 'week' ? `${weekday().format(wall)} ${wall.getUTCDate()}` : String(wall.getUTCDate())
    lower.push({ day, x: dayX(scale, day), width: step * scale.day_px, text })
  }
  return { upper: spans(scale, first, last, 1), lower }
}

const weekday = wallFormat({ weekday: 'short' })
const month = wallFormat({ month: 'short' })
const long_month = wallFormat({ month: 'long', year: 'numeric' })

/** Months, or years, that lie between two days. */
function spans(scale: Scale, first: Day, last: Day, months: 1 | 12): Tick[] {
  const ticks: Tick[] = []
  const begin = wallOfDay(first)
  let wall = wallDay(begin.getUTCFullYear(), months === 12 ? 0 : begin.getUTCMonth(), 1)
  while (calendarDay(wall) <= last) {
    const next = wallDay(wall.getUTCFullYear(), wall.getUTCMonth() + months, 1)
    const x = Math.max(0, dayX(scale, calendarDay(wall)))
    const width = Math.min(scale.days * scale.day_px, dayX(scale, calendarDay(next))) - x
    const isLower = scale.zoom === 'quarter' && months === 1
    const text = months === 12 ? String(wall.getUTCFullYear()) : (isLower ? month() : long_month()).format(wall)
    if (width > 0) ticks.push({ day: calendarDay(wall), x, width, text })
    wall = next
  }
  return ticks
}
