/**
 * Tasks move between days by pointer and by keyboard: Space picks the focused task up, the arrow keys choose a day, Space
 * drops the task there and Escape puts it back. A task that is dropped beside the days has no due date afterwards.
 */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../../language/index.ts'
import { type DropSurface, scrollBeside, usePointerDrag } from '../pointer-drag.ts'
import { useTaskChange } from '../writes.ts'
import { addDays, type Day, dayName, dayOf, dueOn } from './days.ts'

/** The name of the place without a day, in `data-day`. */
export const no_day = ''

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

const surface: DropSurface<Day> = {
  show(root, { x, y }) {
    const place = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-day]') ?? null
    for (const each of root.querySelectorAll<HTMLElement>('[data-drop]')) if (each !== place) delete each.dataset.drop
    if (place === null || !root.contains(place)) return null
    place.dataset.drop = ''
    return place.dataset.day ?? null
  },
  clear(root) {
    for (const each of root.querySelectorAll<HTMLElement>('[data-drop]')) delete each.dataset.drop
  },
  scroll(root, at) {
    const frame = root.querySelector<HTMLElement>('.calendar-scroll')
    if (frame !== null) scrollBeside(frame, at)
  },
}

export interface Held {
  readonly task: Task
  readonly day: Day
}

interface MoveInput {
  readonly root: HTMLElement | null
  readonly find: (id: string) => Task | undefined
  /** Shows the period of a day. */
  readonly onDay: (day: Day) => void
}

function pickedUp({ key }: Task, day: Day): string {
  return t('{key} picked up, {day}. The arrow keys choose a day, Space drops it, Escape cancels.', {
    key,
    day: dayName(day),
  })
}

export function useDayMoves({ root, find, onDay }: MoveInput) {
  const change = useTaskChange()
  const [held, setHeld] = useState<Held | null>(null)
  /** For screen readers. */
  const [announcement, setAnnouncement] = useState('')
  const move = (task: Task, day: Day) => {
    const due_at = day === no_day ? null : dueOn(day, task.due_at)
    if (due_at !== task.due_at) void change.run({ id: task.id, fields: { due_at } })
  }
  usePointerDrag<Day>(root, true, surface, {
    onStart: () => setHeld(null),
    onEnd: () => {},
    onDrop: (id, day) => {
      const task = find(id)
      if (task !== undefined) move(task, day)
    },
  })
  const carry = ({ task, day }: Held, step: number) => {
    const next = addDays(day, step)
    setHeld({ task, day: next })
    setAnnouncement(dayName(next))
    onDay(next)
  }
  const drop = ({ task, day }: Held) => {
    setHeld(null)
    setAnnouncement(t('{key} is due on {day}.', { key: task.key, day: dayName(day) }))
    move(task, day)
  }
  const cancel = ({ task }: Held) => {
    setHeld(null)
    setAnnouncement(t('{key} stays.', { key: task.key }))
  }
  const pickUp = (task: Task) => {
    const day = task.due_at === null ? dayOf(Date.now() / 1000) : dayOf(task.due_at)
    setHeld({ task, day })
    setAnnouncement(pickedUp(task, day))
    onDay(day)
  }
  const onHeldKey = (key: string, now: Held): boolean => {
    const step = steps[key]
    if (step !== undefined) carry(now, step)
    else if (key === ' ' || key === 'Enter') drop(now)
    else if (key === 'Escape' || key === 'Tab') cancel(now)
    return key !== 'Tab'
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card = (event.target as HTMLElement).closest('a')?.closest<HTMLElement>('[data-card]')
    if (event.metaKey || event.ctrlKey || event.altKey || !card) return
    if (held !== null) {
      if (onHeldKey(event.key, held)) event.preventDefault()
      return
    }
    const task = find(card.dataset.card ?? '')
    if (event.key === ' ' && task !== undefined) pickUp(task)
    else if (!focusBeside(root, card, event.key)) return
    event.preventDefault()
  }
  useKeptFocus(root, held)
  return { held, announcement, onKeyDown, release: () => setHeld(null) }
}

/** A task in another cell is a new element, which takes the focus over. */
function useKeptFocus(root: HTMLElement | null, held: Held | null): void {
  const moved = useRef<string | null>(null)
  if (held !== null) moved.current = held.task.id
  useEffect(() => {
    if (moved.current === null || (document.activeElement !== document.body && held === null)) return
    root?.querySelector<HTMLElement>(`[data-card="${moved.current}"] a`)?.focus({ preventScroll: true })
  })
  useEffect(() => {
    if (root === null) return
    const forget = () => {
      moved.current = null
    }
    root.addEventListener('pointerdown', forget)
    return () => root.removeEventListener('pointerdown', forget)
  }, [root])
}

/** Moves the focus to the task before or after in the order of the days. */
function focusBeside(root: HTMLElement | null, card: HTMLElement, key: string): boolean {
  const step = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 0
  if (step === 0 || root === null) return false
  const cards = [...root.querySelectorAll<HTMLElement>('[data-card]')]
  const next = cards[cards.indexOf(card) + step]
  next?.querySelector('a')?.focus()
  return next !== undefined
}
