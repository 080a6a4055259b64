/** The bars of tasks: the days they cover, and the dates of a task whose bar is moved or resized. Pure. */
import { addDays, type Day, dayOf, daysBetween, dueOn, startOf } from '../calendar/days.ts'

export interface Dates {
  /** Unix seconds. */
  readonly start_at: number | null
  readonly due_at: number | null
}

/** What is moved: the whole bar, or one of its ends. */
export type Part = 'whole' | 'start' | 'due'

export interface Bar {
  readonly from: Day
  /** The last day that it covers. */
  readonly to: Day
}

/** A task with one date covers its day. Null without dates. */
export function barOf({ start_at, due_at }: Dates): Bar | null {
  const [from, to] = [start_at ?? due_at, due_at ?? start_at]
  return from === null || to === null ? null : { from: dayOf(from), to: dayOf(to) }
}

/** The dates of a task whose part is moved by whole days. Times of the day stay. An end never passes the other end. */
export function movedDates(task: Dates, part: Part, days: number): Dates {
  const bar = barOf(task)
  if (bar === null || days === 0) return task
  if (part === 'whole') return { start_at: later(task.start_at, days), due_at: later(task.due_at, days) }
  if (part === 'start') {
    const day = addDays(bar.from, Math.min(days, daysBetween(bar.from, bar.to)))
    return ordered({ start_at: task.start_at === null ? startOf(day) : onDay(task.start_at, day), due_at: task.due_at })
  }
  const day = addDays(bar.to, Math.max(days, -daysBetween(bar.from, bar.to)))
  return ordered({ start_at: task.start_at, due_at: dueOn(day, task.due_at) })
}

/** The dates of a task that is planned for the days between two, in either order. */
export function plannedDates(one: Day, other: Day): Dates {
  const [from, to] = one < other ? [one, other] : [other, one]
  return { start_at: startOf(from), due_at: dueOn(to, null) }
}

/** A task cannot start after it is due, so on the same day it starts with the day. */
function ordered(dates: Dates): Dates {
  const { start_at, due_at } = dates
  if (start_at === null || due_at === null || start_at <= due_at) return dates
  return { start_at: startOf(dayOf(due_at)), due_at }
}

function later(at: number | null, days: number): number | null {
  return at === null ? null : onDay(at, addDays(dayOf(at), days))
}

/** The same time of another day. */
function onDay(at: number, day: Day): number {
  return dueOn(day, at)
}

export interface Link {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly kind: string
}

/** The kinds whose arrows say that one task comes before the other. */
export const ordering_kinds: readonly string[] = ['blocks', 'precedes']

/** The tasks that come after one, directly or through others, without itself. */
export function followersOf(id: string, linksOf: (id: string) => readonly Link[], most: number): readonly string[] {
  const found = new Set([id])
  for (const each of found) {
    for (const { from, to, kind } of linksOf(each)) {
      if (from === each && ordering_kinds.includes(kind) && found.size <= most) found.add(to)
    }
  }
  found.delete(id)
  return [...found]
}
