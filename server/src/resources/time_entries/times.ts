/**
 * The three times of an entry; any two determine the third (contract/15#time-entry-times). Pure.
 *
 * - Requests send seconds, rows store milliseconds. A time sent as it is shown keeps the stored milliseconds. All three times
 *   agree if start plus duration is within the second of the end.
 * - Time already worked at the start is stored as offset: `duration = offset + ended - started`. PATCH of `started_at` or
 *   `ended_at` alone keeps the offset; PATCH of the duration or of two times removes it.
 */
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { TimeEntryRow } from '../../db/schema.ts'
import { millis, seconds } from '../../lib/clock.ts'
import { day_ms } from '../../lib/units.ts'

export type Times = Pick<TimeEntryRow, 'started_at' | 'ended_at' | 'duration_ms' | 'offset_ms' | 'status'>

/** The times of a request: Unix seconds, and a duration in milliseconds. */
export interface SentTimes {
  readonly started_at?: number | null
  readonly ended_at?: number | null
  readonly duration_ms?: number
}

/** The times of a new entry, from two of the three, or running from `started_at` alone. `now` is in milliseconds. */
export function newTimes(sent: SentTimes, now: number): Times {
  const { duration_ms } = sent
  const started_at = sent.started_at ?? undefined
  const ended_at = sent.ended_at ?? undefined
  if (started_at === undefined && (ended_at === undefined || duration_ms === undefined)) {
    throw invalid('started_at', 'Send two of started_at, ended_at and duration_ms, or started_at alone.')
  }
  if (started_at !== undefined && ended_at === undefined && duration_ms === undefined) {
    return running(notInFuture(millis(started_at), now), 0)
  }
  const times = stopped(
    started_at === undefined ? undefined : millis(started_at),
    ended_at === undefined ? undefined : millis(ended_at),
    duration_ms,
  )
  requireNearEnd(times, sent, now)
  return times
}

/** The times of an entry that starts now, with `offset` milliseconds already worked. */
export function startedTimes(offset: number, now: number): Times {
  return running(now, offset)
}

/** The times of a running entry that stops now. A clock that was set back does not reduce the duration. */
export function stoppedTimes(entry: Times, now: number): Times {
  const span = stopped(entry.started_at, Math.max(now, entry.started_at), undefined)
  return withOffset(span, entry.offset_ms)
}

/** The changes of PATCH to an entry's times. An end or a duration stops a running entry. */
export function changedTimes(entry: Times, sent: SentTimes, now: number): Partial<Times> {
  if (isAsShown(entry, sent)) return {}
  const times = recomputedTimes(entry, sent, now)
  if (times.ended_at !== entry.ended_at) requireNearEnd(times, sent, now)
  return times
}

function recomputedTimes(entry: Times, sent: SentTimes, now: number): Partial<Times> {
  const { duration_ms } = sent
  const started_at = sentOrStored(entry.started_at, sent.started_at)
  const ended_at = sentOrStored(entry.ended_at, sent.ended_at)
  const count = [started_at, ended_at, duration_ms].filter((time) => time !== undefined).length
  if (sent.started_at === null && count < 2) throw invalid('started_at', 'An entry must have a start.')
  if (sent.ended_at === null && entry.status === 'stopped' && count < 2) {
    throw refuse('resource_conflict', { param: 'ended_at', message: 'A stopped entry cannot run again.' })
  }
  if (count >= 2) return stopped(started_at, ended_at, duration_ms)
  if (duration_ms !== undefined) return stopped(entry.started_at, undefined, duration_ms)
  if (ended_at !== undefined) return withOffset(stopped(entry.started_at, ended_at, undefined), entry.offset_ms)
  if (started_at === undefined) return {}
  if (entry.ended_at === null) return { started_at: notInFuture(started_at, now) }
  return withOffset(stopped(started_at, entry.ended_at, undefined), entry.offset_ms)
}

function isAsShown(entry: Times, { started_at, ended_at, duration_ms }: SentTimes): boolean {
  return (
    (started_at === undefined || started_at === seconds(entry.started_at)) &&
    (ended_at === undefined || ended_at === (entry.ended_at === null ? null : seconds(entry.ended_at))) &&
    (duration_ms === undefined || duration_ms === entry.duration_ms)
  )
}

/** The sent time in milliseconds; the stored one if it is within the same second. */
function sentOrStored(current: number | null, sent: number | null | undefined): number | undefined {
  if (sent === null || sent === undefined) return undefined
  return current !== null && seconds(current) === sent ? current : millis(sent)
}

function running(started_at: number, offset_ms: number): Times {
  return { started_at, ended_at: null, duration_ms: null, offset_ms, status: 'running' }
}

/** The times of a stopped entry from two of the three, or from all three if they agree; in milliseconds. */
function stopped(start: number | undefined, end: number | undefined, duration: number | undefined): Times {
  const started_at = start ?? (end as number) - (duration as number)
  const ended_at = duration === undefined || start === undefined ? (end as number) : start + duration
  if (end !== undefined && seconds(ended_at) !== seconds(end)) {
    throw invalid('duration_ms', 'started_at, ended_at and duration_ms do not agree.')
  }
  if (ended_at < started_at) throw invalid('ended_at', 'The entry ends before it starts.')
  if (started_at < 0 || ended_at > millis(limits.moment_seconds_max)) {
    throw invalid('duration_ms', 'duration_ms makes the entry start or end outside the allowed times.')
  }
  return { started_at, ended_at, duration_ms: ended_at - started_at, offset_ms: 0, status: 'stopped' }
}

function withOffset(times: Times, offset_ms: number): Times {
  const duration_ms = Math.min(limits.safe_integer_max, offset_ms + (times.duration_ms as number))
  return { ...times, duration_ms, offset_ms }
}

/** An end far ahead is a mistake, such as milliseconds sent as seconds (contract/15#time-entry-times). */
function requireNearEnd({ ended_at }: Partial<Times>, sent: SentTimes, now: number): void {
  if (ended_at === undefined || ended_at === null || ended_at <= now + limits.time_entry_ahead_ms) return
  const param = sent.duration_ms !== undefined && typeof sent.ended_at !== 'number' ? 'duration_ms' : 'ended_at'
  const days = limits.time_entry_ahead_ms / day_ms
  throw invalid(param, `A time entry ends at most ${days} days from now; this one would end ${iso(ended_at)}.`)
}

function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

function notInFuture(started_at: number, now: number): number {
  if (started_at > now) throw invalid('started_at', 'started_at of a running entry cannot be in the future.')
  return started_at
}

function invalid(param: string, message: string): Error {
  return refuse('invalid_request_body', { param, message })
}
