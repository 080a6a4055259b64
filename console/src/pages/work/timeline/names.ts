import { textLanguage } from '../../../language/index.ts'
import { type Day, dayNumber } from '../calendar/days.ts'
import { barOf, type Dates } from './bars.ts'

const short_day = new Intl.DateTimeFormat(textLanguage(), { month: 'short', day: 'numeric' })

/** Nov 23 – 27; Nov 23. */
export function shortSpan(dates: Dates): string {
  const bar = barOf(dates)
  if (bar === null) return ''
  const from = nameOf(bar.from)
  if (bar.from === bar.to) return from
  const isSameMonth = bar.from.slice(0, 7) === bar.to.slice(0, 7)
  return `${from} – ${isSameMonth && bar.to.slice(-2) !== '01' ? dayNumber(bar.to) : nameOf(bar.to)}`
}

function nameOf(day: Day): string {
  return short_day.format(new Date(`${day}T00:00:00`))
}
