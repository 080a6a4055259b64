/**
 * How the tasks of an organization, a project or a label went through their states, day by day. Past days are true: the counts
 * of today are known, and each event of a task takes its change back, from the newest to the oldest. What a task was on a day
 * does not depend on what it is now. Pure; `work-reports.ts` reads the events.
 */
import type { FlowDay, FlowTask } from '../shapes.ts'

/** What a report needs of a task as an event shows it. */
export interface TaskState {
  readonly id: string
  readonly key: string
  readonly title: string
  readonly status: string
  readonly project: string | null
  readonly labels: readonly string[]
  readonly assignee: string | null
  /** Unix seconds. */
  readonly created: number
}

export interface TaskEvent {
  readonly type: string
  /** Milliseconds. */
  readonly created: number
  readonly after: TaskState
  readonly previous: Partial<TaskState> | null
}

export interface FlowScope {
  readonly project?: string | undefined
  readonly label?: string | undefined
}

export interface FlowCounts {
  /** Tasks that are not canceled. */
  readonly scope: number
  readonly done: number
}

const started_statuses: readonly string[] = ['in_progress', 'in_review', 'blocked']

/** Whether a task enters a started status from one that is not. `before` is null of a new task. */
export function isStart(after: TaskState, before: Pick<TaskState, 'status'> | null): boolean {
  return started_statuses.includes(after.status) && !started_statuses.includes(before?.status ?? '')
}

interface OpenCompletion extends Omit<FlowTask, 'started_at'> {
  /** Milliseconds of the earliest start after which the task was not started again; null until one is found. */
  started: number | null
}

/** Takes events back, the newest first. */
export class FlowReport {
  readonly #scope: FlowScope
  /** Starts of the days and the end of the last one, in milliseconds. */
  readonly #bounds: readonly number[]
  readonly #days: { created: number; completed: number; scope: number; done: number }[]
  readonly #completed_max: number
  #now: { scope: number; done: number }
  /** The day whose end is looked for next, from the last. */
  #day: number
  readonly #completions: OpenCompletion[] = []
  /** The latest completion of a task whose start is not found yet. */
  readonly #seeking = new Map<string, OpenCompletion>()
  #completions_left_out = 0

  constructor(scope: FlowScope, bounds: readonly number[], now: FlowCounts, completed_max: number) {
    this.#scope = scope
    this.#bounds = bounds
    this.#now = { ...now }
    this.#completed_max = completed_max
    this.#day = bounds.length - 2
    this.#days = Array.from({ length: bounds.length - 1 }, () => ({ created: 0, completed: 0, scope: 0, done: 0 }))
  }

  /** Events must come in descending order of their log. */
  takeBack({ type, created, after, previous }: TaskEvent): void {
    this.#endDays(created)
    const isNew = type.endsWith('.created')
    const isGone = type.endsWith('.deleted')
    const before = isNew ? null : { ...after, ...previous }
    const [was, is] = [this.#countsOf(before), this.#countsOf(isGone ? null : after)]
    const day = this.#days[this.#dayOf(created)]
    if (day !== undefined) {
      if (isNew && is.scope === 1) day.created++
      if (is.done === 1 && before !== null && before.status !== 'done') this.#complete(day, after, created)
    }
    this.#seek(after, before, created)
    this.#now = { scope: this.#now.scope - is.scope + was.scope, done: this.#now.done - is.done + was.done }
  }

  /** Whether events before this moment, in milliseconds, still matter. */
  needs(created: number): boolean {
    return created >= (this.#bounds[0] ?? 0)
  }

  /** Completed tasks whose start lies before the events that were taken back. */
  get withoutStart(): readonly string[] {
    return [...this.#seeking.keys()]
  }

  foundStart(task: string, started: number): void {
    const open = this.#seeking.get(task)
    if (open !== undefined) open.started = started
    this.#seeking.delete(task)
  }

  /** `reach`: the moment, in milliseconds, after which all events were taken back. Days before it are left out. */
  result(reach: number): {
    readonly days: readonly FlowDay[]
    readonly completed: readonly FlowTask[]
    readonly more: number
  } {
    this.#endDays(Number.NEGATIVE_INFINITY)
    const days = this.#days.flatMap((day, i) => {
      const [from = 0, until = 0] = this.#bounds.slice(i, i + 2)
      return from < reach ? [] : [{ from: from / 1000, until: until / 1000, ...day }]
    })
    const completed = this.#completions.map(({ started, ...rest }) => ({
      ...rest,
      started_at: started === null ? null : Math.floor(started / 1000),
    }))
    return { days, completed, more: this.#completions_left_out }
  }

  #countsOf(task: TaskState | null): FlowCounts {
    const { project, label } = this.#scope
    const isOut =
      task === null ||
      task.status === 'canceled' ||
      (project !== undefined && task.project !== project) ||
      (label !== undefined && !task.labels.includes(label))
    return isOut ? { scope: 0, done: 0 } : { scope: 1, done: task.status === 'done' ? 1 : 0 }
  }

  #complete(day: { completed: number }, { id, key, title, created, assignee }: TaskState, at: number): void {
    day.completed++
    if (this.#completions.length >= this.#completed_max) {
      this.#completions_left_out++
      return
    }
    const completed_at = Math.floor(at / 1000)
    const completion = { task: id, key, title, assignee, created, completed_at, started: null }
    this.#completions.push(completion)
    this.#seeking.set(id, completion)
  }

  #seek(after: TaskState, before: TaskState | null, created: number): void {
    const open = this.#seeking.get(after.id)
    if (open === undefined || Math.floor(created / 1000) > open.completed_at) return
    if (isStart(after, before)) this.foundStart(after.id, created)
    else if (before === null) this.#seeking.delete(after.id)
  }

  /** Records the counts at the ends of the days that end after a moment. */
  #endDays(created: number): void {
    for (; this.#day >= 0 && (this.#bounds[this.#day + 1] ?? 0) > created; this.#day--) {
      const day = this.#days[this.#day]
      if (day !== undefined) Object.assign(day, this.#now)
    }
  }

  #dayOf(created: number): number {
    let index = -1
    for (const bound of this.#bounds) if (bound <= created) index++
    return index
  }
}
