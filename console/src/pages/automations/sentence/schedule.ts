/** Schedules in words: the cron expressions that people mean by "every Monday 09:00", both ways. */
import { t } from '../../../language/index.ts'
import { allOf } from '../../../language/lists.ts'

export type Rhythm = 'hour' | 'day' | 'week' | 'month'

export interface Schedule {
  readonly rhythm: Rhythm
  /** Of the day, `09:30`; of an hourly schedule only the minutes count. */
  readonly time: string
  /** Days of the week from Sunday, 0 to 6; of a weekly schedule. */
  readonly weekdays: readonly number[]
  /** Of the month, of a monthly schedule. */
  readonly day: number
}

export const weekday_names = [
  t('Sunday'),
  t('Monday'),
  t('Tuesday'),
  t('Wednesday'),
  t('Thursday'),
  t('Friday'),
  t('Saturday'),
] as const

const usual: Schedule = { rhythm: 'week', time: '09:00', weekdays: [1], day: 1 }
const working_days: readonly number[] = [1, 2, 3, 4, 5]

/** The schedule of a cron expression; null if words cannot say it. */
export function scheduleOf(cron: string): Schedule | null {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = cron.trim().split(/\s+/)
  if (more.length > 0 || month !== '*' || !isNumber(minute, 0, 59)) return null
  if (hour === '*')
    return day === '*' && weekday === '*' ? { ...usual, rhythm: 'hour', time: timeOf('0', minute) } : null
  if (!isNumber(hour, 0, 23)) return null
  const time = timeOf(hour, minute)
  if (day !== '*')
    return isNumber(day, 1, 31) && weekday === '*' ? { ...usual, rhythm: 'month', time, day: Number(day) } : null
  if (weekday === '*') return { ...usual, rhythm: 'day', time }
  const weekdays = daysOf(weekday)
  return weekdays === null ? null : { ...usual, rhythm: 'week', time, weekdays }
}

export function cronOf({ rhythm, time, weekdays, day }: Schedule): string {
  const [hour = '0', minute = '0'] = time.split(':')
  const at = `${Number(minute)} ${Number(hour)}`
  if (rhythm === 'hour') return `${Number(minute)} * * * *`
  if (rhythm === 'day') return `${at} * * *`
  if (rhythm === 'month') return `${at} ${day} * *`
  const days = weekdays.join() === working_days.join() ? '1-5' : weekdays.join(',')
  return `${at} * * ${days}`
}

function timeOf(hour: string, minute: string): string {
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

function isNumber(text: string, least: number, most: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= least && Number(text) <= most
}

/** `1-5` and `1,4` as days in their order; 7 is Sunday too. Null for anything else. */
function daysOf(text: string): readonly number[] | null {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [, from, to = from] = /^([0-7])(?:-([0-7]))?$/.exec(part) ?? []
    if (from === undefined || to === undefined || from > to) return null
    for (let day = Number(from); day <= Number(to); day++) days.add(day % 7)
  }
  return [...days].toSorted((a, b) => a - b)
}

const ordinals = new Intl.PluralRules('en-US', { type: 'ordinal' })

/** `13` reads "13th". */
export function ordinal(day: number): string {
  const form = ordinals.select(day)
  if (form === 'one') return t('{day}st', { day })
  if (form === 'two') return t('{day}nd', { day })
  return form === 'few' ? t('{day}rd', { day }) : t('{day}th', { day })
}

/** "every Monday 09:00, Berlin". What words cannot say is shown as it is. */
export function scheduleText(cron: string, timezone: string): string {
  const schedule = scheduleOf(cron)
  return `${schedule === null ? t('on the schedule {cron}', { cron }) : rhythmText(schedule)}, ${placeOfZone(timezone)}`
}

function rhythmText({ rhythm, time, weekdays, day }: Schedule): string {
  if (rhythm === 'hour') return t('every hour at minute {minute}', { minute: Number(time.slice(3)) })
  if (rhythm === 'day') return t('every day {time}', { time })
  if (rhythm === 'month') return t('on the {ordinal} of every month {time}', { ordinal: ordinal(day), time })
  if (weekdays.join() === working_days.join()) return t('on weekdays {time}', { time })
  return t('every {map} {time}', { map: allOf(weekdays.map((each) => weekday_names[each] ?? '')), time })
}

/** `Europe/Berlin` reads "Berlin". */
export function placeOfZone(timezone: string): string {
  return (timezone.split('/').at(-1) ?? timezone).replaceAll('_', ' ')
}
