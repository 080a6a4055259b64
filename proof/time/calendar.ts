/**
 * An independent calendar for schedules: it steps through the minutes and reads the wall clock of the time zone. A schedule with
 * one time of day fires after the gap if the clock is set forward over it, and only the first time if the clock is set back.
 * Schedules with several times of day fire whenever the clock shows one.
 */
const minute_ms = 60_000
/** No time zone changes its clock within a quarter of an hour. */
const quarter_ms = 15 * minute_ms
/** Nothing fires on a date that a country skips to change sides of the date line (Samoa, 2011). */
const day_minutes = 1440
/** No clock is set back further. */
const put_back_minutes_max = 180

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone)
  if (format === undefined) {
    const number = 'numeric' as const
    const fields = { year: number, month: number, day: number, hour: number, minute: number } as const
    format = new Intl.DateTimeFormat('en', { timeZone: timezone, hourCycle: 'h23', ...fields })
    formats.set(timezone, format)
  }
  return format
}

/** Minutes since 1970 in local time. */
class WallClock {
  private readonly format: Intl.DateTimeFormat
  private readonly offsets = new Map<number, number>()

  constructor(timezone: string) {
    this.format = formatOf(timezone)
  }

  at(minute: number): number {
    const quarter = Math.floor((minute * minute_ms) / quarter_ms)
    let offset = this.offsets.get(quarter)
    if (offset === undefined) {
      offset = this.shown(quarter * quarter_ms) - quarter * (quarter_ms / minute_ms)
      this.offsets.set(quarter, offset)
    }
    return minute + offset
  }

  private shown(ms: number): number {
    const parts = new Map(this.format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) / minute_ms
  }
}

interface Fields {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** The schedule has one time of day. */
  readonly isOne: boolean
  readonly anyDay: boolean
  readonly anyWeekday: boolean
}

function valuesOf(field: string, least: number, most: number): Set<number> {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '*', step] = part.split('/')
    const [first = '', last] = range.split('-')
    const from = range === '*' ? least : Number(first)
    const to = range === '*' ? most : Number(last ?? (step === undefined ? first : most))
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value)
  }
  return values
}

function fieldsOf(cron: string): Fields {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.split(' ')
  const minutes = valuesOf(minute, 0, 59)
  const hours = valuesOf(hour, 0, 23)
  return {
    minutes,
    hours,
    days: valuesOf(day, 1, 31),
    months: valuesOf(month, 1, 12),
    weekdays: new Set([...valuesOf(weekday, 0, 7)].map((value) => value % 7)),
    isOne: minutes.size === 1 && hours.size === 1,
    anyDay: day === '*',
    anyWeekday: weekday === '*',
  }
}

function matches(fields: Fields, wall: number): boolean {
  const date = new Date(wall * minute_ms)
  if (!fields.minutes.has(date.getUTCMinutes()) || !fields.hours.has(date.getUTCHours())) return false
  if (!fields.months.has(date.getUTCMonth() + 1)) return false
  const day = fields.days.has(date.getUTCDate())
  const weekday = fields.weekdays.has(date.getUTCDay())
  // As in cron: if both are restricted, either suffices.
  if (!fields.anyDay && !fields.anyWeekday) return day || weekday
  return day && weekday
}

/** The firings of a schedule in milliseconds, after `after` and until `until` inclusive. */
export function firingsBetween(cron: string, timezone: string, after: number, until: number): number[] {
  const fields = fieldsOf(cron)
  const clock = new WallClock(timezone)
  const first = Math.floor(after / minute_ms) + 1
  const firings: number[] = []
  let previous = clock.at(first - 1)
  let highest = previous
  for (let back = 2; back <= put_back_minutes_max; back++) highest = Math.max(highest, clock.at(first - back))
  for (let minute = first; minute * minute_ms <= until; minute++) {
    const wall = clock.at(minute)
    let fires = matches(fields, wall) && !(fields.isOne && wall <= highest)
    const isPutForward = wall - previous < day_minutes
    for (let skipped = previous + 1; skipped < wall && fields.isOne && isPutForward; skipped++) {
      fires ||= matches(fields, skipped)
    }
    if (fires) firings.push(minute * minute_ms)
    previous = wall
    highest = Math.max(highest, wall)
  }
  return firings
}
