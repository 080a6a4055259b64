/** `Retry-After` (RFC 9110 §10.2.3). */
import { millis } from './clock.ts'

/** The wait in milliseconds from `now`. The header is a number of seconds or a date; 0 if it is missing or neither. */
export function retryAfter(header: string | readonly string[] | null | undefined, now: number): number {
  if (typeof header !== 'string') return 0
  if (/^\d{1,9}$/.test(header)) return millis(Number(header))
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
