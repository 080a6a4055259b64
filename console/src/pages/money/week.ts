/** Weeks of a timesheet: Monday to Sunday, where the reader is. Days are told as `YYYY-MM-DD`. */

export function dayOf(at: Date): string {
  const part = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`
}

/** The Monday of the week that a day lies in. */
export function mondayOf(day: string): string {
  const at = new Date(`${day}T12:00:00`)
  at.setDate(at.getDate() - ((at.getDay() + 6) % 7))
  return dayOf(at)
}

export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T12:00:00`)
  at.setDate(at.getDate() + days)
  return dayOf(at)
}

/** Hours and minutes, as timesheets have them. */
export function hours(ms: number): string {
  if (ms === 0) return '—'
  const minutes = Math.round(ms / 60_000)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

/** The week from a Monday on, as people say it: `Nov 16 – 22, 2026`. */
export function weekText(monday: string): string {
  const format = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
  return format.formatRange(new Date(`${monday}T12:00:00`), new Date(`${addDays(monday, 6)}T12:00:00`))
}
