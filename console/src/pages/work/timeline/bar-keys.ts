/**
 * Bars by keyboard: Space picks the bar of the focused row up. Then Left and Right move it, with Shift its end, with Alt its
 * start; D draws a dependency to the row that Up and Down choose. Space or Enter writes, Escape puts back.
 */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useState } from 'react'
import { t } from '../../../language/index.ts'
import { dayName, dayOf } from '../calendar/days.ts'
import { type Bar, barOf, type Dates, movedDates, type Part, plannedDates } from './bars.ts'

export interface HeldBar {
  readonly task: Task
  readonly part: Part
  /** Whole days by which the part has moved. */
  readonly days: number
  readonly dates: Dates
  /** The row that a dependency is drawn to; null while the bar is moved. */
  readonly target: Task | null
  /** The task had no dates. */
  readonly isNew: boolean
}

interface Keys {
  readonly taskOf: (element: HTMLElement) => Task | undefined
  /** The task some rows below or above another one. */
  readonly beside: (task: Task, step: number) => Task | undefined
  /** Days of one step: a week where days are narrow. */
  readonly step_days: number
  readonly onMove: (held: HeldBar) => void
  readonly onPlan: (task: Task, dates: Dates) => void
  readonly onLink: (from: Task, to: Task) => void
  readonly onShow: (bar: Bar) => void
}

export function useBarKeys(keys: Keys) {
  const [held, setHeld] = useState<HeldBar | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const hold = (next: HeldBar, text: string) => {
    setHeld(next)
    setAnnouncement(text)
    const bar = barOf(next.dates)
    if (bar !== null && next.target === null) keys.onShow(bar)
  }
  const pickUp = (task: Task) => {
    const today = dayOf(Date.now() / 1000)
    const isNew = barOf(task) === null
    const dates = isNew ? plannedDates(today, today) : task
    hold(
      { task, part: 'whole', days: 0, dates, target: null, isNew },
      t(
        '{key} picked up, {names}. Left and Right move it, with Shift its end, with Alt its start. D draws a dependency. Space saves, Escape cancels.',
        { key: task.key, names: namesOf(dates) },
      ),
    )
  }
  const choose = (now: HeldBar, step: number) => {
    const target = keys.beside(now.target ?? now.task, step)
    if (target === undefined) return
    const text = t('{key} blocks {key2} {title}?', { key: now.task.key, key2: target.key, title: target.title })
    hold({ ...now, target: target.id === now.task.id ? now.target : target }, text)
  }
  const drop = (now: HeldBar) => {
    setHeld(null)
    setAnnouncement('')
    if (now.target !== null) keys.onLink(now.task, now.target)
    else if (now.isNew) keys.onPlan(now.task, now.dates)
    else keys.onMove(now)
  }
  const onHeldKey = (now: HeldBar, event: KeyboardEvent): boolean => {
    const { key } = event
    if (key === 'ArrowLeft' || key === 'ArrowRight') hold(...carried(now, event, keys.step_days))
    else if (now.target !== null && (key === 'ArrowUp' || key === 'ArrowDown')) choose(now, key === 'ArrowUp' ? -1 : 1)
    else if (key.toLowerCase() === 'd') choose({ ...now, dates: now.task }, 1)
    else if (key === ' ' || key === 'Enter') drop(now)
    else if (key === 'Escape' || key === 'Tab') {
      setHeld(null)
      setAnnouncement(t('{key} stays.', { key: now.task.key }))
    }
    return key !== 'Tab'
  }
  /** Whether the key was for a bar. */
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): boolean => {
    if (event.metaKey || event.ctrlKey) return false
    if (held !== null) {
      if (onHeldKey(held, event)) event.preventDefault()
      return true
    }
    const link = (event.target as HTMLElement).closest<HTMLElement>('[data-row-focus]')
    const task = link === null ? undefined : keys.taskOf(link)
    if (event.key !== ' ' || task === undefined || task.is_archived) return false
    event.preventDefault()
    pickUp(task)
    return true
  }
  return { held, announcement, onKeyDown, release: () => setHeld(null) }
}

/** Another part begins where the former one has ended. */
function carried(now: HeldBar, { key, shiftKey, altKey }: KeyboardEvent, step_days: number): [HeldBar, string] {
  const part: Part = shiftKey ? 'due' : altKey ? 'start' : 'whole'
  const step = (key === 'ArrowRight' ? 1 : -1) * step_days
  const days = part === now.part ? now.days + step : step
  const dates = movedDates(now.dates, part, step)
  return [{ ...now, part, days, dates }, namesOf(dates)]
}

/** Monday, November 23 to Friday, November 27. */
export function namesOf(dates: Dates): string {
  const bar = barOf(dates)
  if (bar === null) return t('no dates')
  return bar.from === bar.to ? dayName(bar.from) : t('{from} to {to}', { from: dayName(bar.from), to: dayName(bar.to) })
}
