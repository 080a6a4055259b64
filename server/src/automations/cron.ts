/** Cron schedules: five fields in a time zone (contract/16#schedules). The caller passes the current time. */
import { Cron } from 'croner'
import { automation_limits } from './limits.ts'

export interface Schedule {
  readonly cron: string
  readonly timezone: string
}

function jobOf({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { timezone, mode: '5-part', paused: true })
}

/** The first firing after `after_ms`, in milliseconds; null if the schedule never fires again. */
export function nextFiring(schedule: Schedule, after_ms: number): number | null {
  const job = jobOf(schedule)
  return job.nextRun(new Date(after_ms))?.getTime() ?? null
}

/** Firings that are computed at a time: others are served in between. */
const firings_page = 50

/**
 * The firings from `since` until `now`, newest first, at most `count`, in milliseconds; `more` reports that there are older ones.
 */
export async function pastFirings(
  schedule: Schedule,
  { since, now, count }: { readonly since: number; readonly now: number; readonly count: number },
): Promise<{ readonly times: readonly number[]; readonly more: boolean }> {
  const job = jobOf(schedule)
  const times: number[] = []
  // The reference itself is not included.
  for (let before = new Date(now + 1000); times.length <= count; ) {
    const page = job.previousRuns(firings_page, before).map((date) => date.getTime())
    const inside = page.filter((time) => time >= since)
    times.push(...inside.filter((time) => time <= now))
    if (page.length < firings_page || inside.length < page.length) break
    before = new Date(page.at(-1) ?? since)
    await new Promise(setImmediate)
  }
  return { times: times.slice(0, count), more: times.length > count }
}

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Why a schedule is invalid; undefined if it is valid. */
export function cronFault({ cron, timezone }: Schedule, now_ms: number): string | undefined {
  const [minute = '', hour = '', ...others] = cron.trim().split(/\s+/)
  if (others.length !== 3) return 'must have five fields: minute, hour, day of month, month, day of week'
  const minutes = valuesOf(minute, 60)
  const hours = valuesOf(hour, 24)
  if (minutes === undefined || hours === undefined)
    return 'must have numbers, ranges, lists and steps as minute and hour'
  if (gap(minutes, hours) * 60_000 < automation_limits.automation_schedule_gap_ms)
    return 'must not fire more than once in five minutes'
  try {
    const next = nextFiring({ cron, timezone }, now_ms)
    const late = next === null || next > now_ms + automation_limits.automation_schedule_horizon_ms
    return late ? 'must fire at least once in five years' : undefined
  } catch (error) {
    return `is not a schedule: ${error instanceof Error ? error.message.replace(/^CronPattern: |\.$/g, '') : 'unreadable'}`
  }
}

/** The values of a field, below `end`, ascending; undefined unless it consists of numbers, ranges, lists and steps. */
function valuesOf(field: string, end: number): number[] | undefined {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const found = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part)
    if (found === null) return undefined
    const [, first, last, step] = found
    const from = Number(first ?? 0)
    const to = last !== undefined ? Number(last) : first === undefined || step !== undefined ? end - 1 : from
    if (from > to || to >= end || Number(step ?? 1) === 0) return undefined
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

/** The minimum number of minutes between two firings if the schedule fires every day. */
function gap(minutes: readonly number[], hours: readonly number[]): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const [first = 0] = times
  return Math.min(...times.map((time, i) => (times[i + 1] ?? first + 24 * 60) - time))
}
