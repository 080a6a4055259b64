/** Days in a time zone. */

/** Whether the runtime knows an IANA time zone. Offsets such as `+02:00` are not zones: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The date in a zone at an instant, in milliseconds. */
export function dateIn(zone: string, at: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
}

/** When a minute of a day comes in a zone, in milliseconds. A minute that summer time leaves out comes an hour later. */
export function instantOf(zone: string, date: Temporal.PlainDate, minute = 0): number {
  const time = { hour: Math.floor(minute / 60), minute: minute % 60 }
  return date.toPlainDateTime(time).toZonedDateTime(zone).epochMilliseconds
}

/** The minute of the day in a zone at an instant. */
export function minuteIn(zone: string, at: number): number {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return hour * 60 + minute
}
