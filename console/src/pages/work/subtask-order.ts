/**
 * The order of subtasks: that of the board. Tasks of one column stand by position; columns follow in the order of the
 * board, tasks without a column first, then those of other projects. By hand a task moves within its column only
 * (contract/15#task-order).
 */
import type { Column, Task } from '@atrium/sdk'

type Listed = Pick<Task, 'workspace' | 'project' | 'column'>

/** Names the list that a task stands in: its column, else its project, else its workspace. */
export function listOf({ workspace, project, column }: Listed): string {
  return column ?? project ?? workspace
}

export function orderSubtasks(
  rows: readonly Task[],
  project: string | null,
  columns: readonly Pick<Column, 'id'>[],
): readonly Task[] {
  const places = new Map(columns.map(({ id }, i) => [id, i + 1]))
  const placeOf = (task: Task) => {
    if (task.project !== project) return columns.length + 2
    return task.column === null ? 0 : (places.get(task.column) ?? columns.length + 1)
  }
  return rows.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      compare(listOf(a), listOf(b)) ||
      a.position - b.position ||
      // The later task has the greater id.
      compare(a.id, b.id),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A place beside a task of the same list, as `POST …/move` names it. */
export interface Place {
  readonly side: 'before' | 'after'
  readonly task: Task
  /** The position that is shown until the server answers. */
  readonly position: number
}

/** The place one step up or down within the list of the task; null at its end. */
export function stepFrom(rows: readonly Task[], task: Task, step: -1 | 1): Place | null {
  const list = rows.filter((row) => listOf(row) === listOf(task))
  const neighbour = list[list.findIndex(({ id }) => id === task.id) + step]
  return neighbour === undefined ? null : placeBeside(rows, task, neighbour, step === 1 ? 'after' : 'before')
}

/** The place before or after `neighbour`; null in another list, and where the task stands already. */
export function placeBeside(rows: readonly Task[], task: Task, neighbour: Task, side: Place['side']): Place | null {
  if (neighbour.id === task.id || listOf(neighbour) !== listOf(task)) return null
  const list = rows.filter((row) => listOf(row) === listOf(task))
  const others = list.filter(({ id }) => id !== task.id)
  const at = others.indexOf(neighbour) + (side === 'after' ? 1 : 0)
  if (at === list.indexOf(task)) return null
  const [low, high] = [others[at - 1]?.position, others[at]?.position]
  return { side, task: neighbour, position: between(low, high) }
}

function between(low: number | undefined, high: number | undefined): number {
  if (low === undefined) return high === undefined ? 0 : high - 1
  return high === undefined ? low + 1 : (low + high) / 2
}

/** The place where a task stands now, to return to it; null if it is alone in its list. */
export function placeOf(rows: readonly Task[], task: Task): Place | null {
  const list = rows.filter((row) => listOf(row) === listOf(task))
  const at = list.findIndex(({ id }) => id === task.id)
  const [before, after] = [list[at - 1], list[at + 1]]
  if (before !== undefined) return { side: 'after', task: before, position: task.position }
  return after === undefined ? null : { side: 'before', task: after, position: task.position }
}

/** The titles in pasted lines, without list marks such as `- ` and `[ ] `. */
export function titlesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')
        .replace(/^\s*\[[ xX]?\]\s+/, '')
        .trim(),
    )
    .filter((line) => line !== '')
}
