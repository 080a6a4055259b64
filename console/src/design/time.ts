/** Formats times for people. All times are Unix seconds, as in the API. */
import { useSyncExternalStore } from 'react'
import { t } from '../language/index.ts'
import { dateFormat } from './time-format.ts'

const minute_s = 60
const hour_s = 3600
const day_s = 86_400

const full = dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const in_year = dateFormat({ month: 'short', day: 'numeric' })
const with_year = dateFormat({ month: 'short', day: 'numeric', year: 'numeric' })
const clock = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const year = dateFormat({ year: 'numeric' })

/** One clock for all components, updated every half minute. */
const tick_ms = 30_000
let now_s = Math.floor(Date.now() / 1000)
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function listen(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    // The clock does not run without listeners.
    now_s = Math.floor(Date.now() / 1000)
    timer = setInterval(() => {
      now_s = Math.floor(Date.now() / 1000)
      for (const each of listeners) each()
    }, tick_ms)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, up to half a minute old. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now_s)
}

/** just now, 5 min ago, 3 h ago, yesterday, Mar 12; in 5 min, tomorrow. */
export function relative(at: number, now: number): string {
  const ago = now - at
  const distance = Math.abs(ago)
  // The clock is up to one tick behind, so a recent event can appear to be in the future.
  if (distance < 45) return ago >= -tick_ms / 1000 ? t('just now') : t('in a moment')
  if (distance < hour_s) {
    const count = Math.max(1, Math.round(distance / minute_s))
    return ago > 0 ? t('{count} min ago', { count }) : t('in {count} min', { count })
  }
  if (distance < day_s) {
    const count = Math.round(distance / hour_s)
    return ago > 0 ? t('{count} h ago', { count }) : t('in {count} h', { count })
  }
  if (distance < 2 * day_s) return ago > 0 ? t('yesterday') : t('tomorrow')
  if (distance >= 7 * day_s) return date(at, now)
  const count = Math.round(distance / day_s)
  return ago > 0 ? t('{count} days ago', { count }) : t('in {count} days', { count })
}

/** Mar 12; with the year if it is not the current one. */
export function date(at: number, now: number = now_s): string {
  const isThisYear = year().format(at * 1000) === year().format(now * 1000)
  return (isThisYear ? in_year() : with_year()).format(at * 1000)
}

/** Mar 12, 2026, 14:05. */
export function dateTime(at: number): string {
  return full().format(at * 1000)
}

/** Mar 12, 2026, 14:05:33, for logs. */
export function exactTime(at: number): string {
  return exact().format(at * 1000)
}

export function timeOfDay(at: number): string {
  return clock().format(at * 1000)
}

/** 45 ms, 3.2 s, 4 min 10 s, 2 h 5 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const s = ms / 1000
  if (s < minute_s) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`
  const whole = Math.round(s)
  if (whole < hour_s) return pair(Math.floor(whole / minute_s), 'min', whole % minute_s, 's')
  return pair(Math.floor(whole / hour_s), 'h', Math.floor((whole % hour_s) / minute_s), 'min')
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}
