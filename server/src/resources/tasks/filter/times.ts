/** The times that a filter and `due_before` accept: dates, instants, and times relative to now (contract/06#filter-times). */

/** In Unix seconds, from `from` (inclusive) to `until` (exclusive). */
export interface Period {
  readonly from: number
  readonly until: number
}

export const time_forms =
  'Unix seconds, a date (2026-12-01), an instant (2026-12-01T09:00:00Z), now, today, or an offset such as now-7d or ' +
  'today+2w (units h, d, w)'

const day_seconds = 86_400
const unit_seconds: Readonly<Record<string, number>> = { h: 3600, d: day_seconds, w: 7 * day_seconds }

const date_form = /^(\d{4})-(\d{2})-(\d{2})$/
const instant_form = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i
const relative_form = /^(now|today)(?:([+-])(\d{1,6})([hdw]))?$/

/** The period of a text: a UTC day for a date, otherwise one second. Null if it is not a time. `now` is in milliseconds. */
export function readPeriod(text: string, now: number): Period | null {
  const day = readDate(text)
  if (day !== null) return { from: day, until: day + day_seconds }
  return readInstant(text) ?? readRelative(text, now)
}

/** The period of one second. */
export function secondOf(seconds: number): Period {
  return { from: seconds, until: seconds + 1 }
}

function readDate(text: string): number | null {
  const [, year, month, day] = date_form.exec(text) ?? []
  if (year === undefined) return null
  const date = new Date(0)
  // Not Date.UTC, which moves the years 0 to 99 into the 20th century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return exists ? date.getTime() / 1000 : null
}

function readInstant(text: string): Period | null {
  const date = instant_form.exec(text)?.[1]
  if (date === undefined || readDate(date) === null) return null
  const ms = Date.parse(text.toUpperCase())
  return Number.isNaN(ms) ? null : secondOf(Math.floor(ms / 1000))
}

function readRelative(text: string, now: number): Period | null {
  const [, anchor, sign, amount, unit] = relative_form.exec(text) ?? []
  if (anchor === undefined) return null
  const offset = amount === undefined ? 0 : Number(`${sign}${amount}`) * (unit_seconds[unit as string] as number)
  const second = Math.floor(now / 1000)
  if (anchor === 'now') return secondOf(second + offset)
  const from = Math.floor(second / day_seconds) * day_seconds + offset
  return unit === 'h' ? secondOf(from) : { from, until: from + day_seconds }
}
