import { rangeText, wallFormat } from '../../../design/time-format.ts'
import { wallOfDay } from '../../../design/wall-time.ts'
import { barOf, type Dates } from './bars.ts'

const short_day = wallFormat({ month: 'short', day: 'numeric' })

/** Nov 23 – 27; Nov 23. */
export function shortSpan(dates: Dates): string {
  const bar = barOf(dates)
  return bar === null ? '' : rangeText(short_day(), wallOfDay(bar.from), wallOfDay(bar.to))
}
