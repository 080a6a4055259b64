/** The time axis of the timeline: which days it shows, how wide a day is, and what its head says. Weeks begin on Monday. */

import { t, textLanguage } from '../../../language/index.ts'
import { addDays, type Day, dayOf, daysBetween, shownDays, startOf } from '../calendar/days.ts'

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
  /** A Monday. */
  readonly first: Day
  readonly days: number
}

export function scaleOf(zoom: Zoom, at: Day): Scale {
  const { day_px, weeks } = zoom_sizes[zoom]
  const monday = shownDays('week', at)[0] ?? at
  return { zoom, day_px, first: addDays(monday, -weeks * week_days), days: 2 * weeks * week_days }
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
  const monday = shownDays('week', first)[0] ?? first
  const step = zoom === 'week' ? 1 : week_days
  const lower: Tick[] = []
  for (let day = monday; day <= last; day = addDays(day, step)) {
    const text =
      zoom === 'week' ? `${weekday.format(dateOf(day))} ${dateOf(day).getDate()}` : String(dateOf(day).getDate())
    lower.push({ day, x: dayX(scale, day), width: step * scale.day_px, text })
  }
  return { upper: spans(scale, first, last, 1), lower }
}

const weekday = new Intl.DateTimeFormat(textLanguage(), { weekday: 'short' })
const month = new Intl.DateTimeFormat(textLanguage(), { month: 'short' })
const long_month = new Intl.DateTimeFormat(textLanguage(), { month: 'long', year: 'numeric' })

/** Months, or years, that lie between two days. */
function spans(scale: Scale, first: Day, last: Day, months: 1 | 12): Tick[] {
  const ticks: Tick[] = []
  const begin = dateOf(first)
  let date = new Date(begin.getFullYear(), months === 12 ? 0 : begin.getMonth(), 1)
  while (textOf(date) <= last) {
    const next = new Date(date.getFullYear(), date.getMonth() + months, 1)
    const x = Math.max(0, dayX(scale, textOf(date)))
    const width = Math.min(scale.days * scale.day_px, dayX(scale, textOf(next))) - x
    const isLower = scale.zoom === 'quarter' && months === 1
    const text = months === 12 ? String(date.getFullYear()) : (isLower ? month : long_month).format(date)
    if (width > 0) ticks.push({ day: textOf(date), x, width, text })
    date = next
  }
  return ticks
}

function dateOf(day: Day): Date {
  return new Date(`${day}T00:00:00`)
}

function textOf(date: Date): Day {
  return dayOf(date.getTime() / 1000)
}
