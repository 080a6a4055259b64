/** The place of the open task among the rows of the list, for the panel beside it. The list scrolls along with its steps. */
import type { Task } from '@atrium/sdk'
import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../../lib/store.ts'
import { rowOf, type TaskPlace } from './task-order.ts'
import { isTaskRow, type ShownRow } from './task-tree.ts'

/** Rows without a task between two that have one, which a step passes over. */
const passed_rows_max = 500

const listPlace = createStore<TaskPlace | null>(null)

/** The place that the list of the page publishes; null if it does not show the task. */
export function useListPlace(): TaskPlace | null {
  return useStore(listPlace)
}

interface Rows {
  readonly count: number
  readonly at: (index: number) => ShownRow | undefined
  /** The position of a row among all tasks, from 1, and their number; without it that of the row. */
  readonly positionOf?: (index: number) => Pick<TaskPlace, 'position' | 'count'>
}

/** Publishes the place of a task while the list is mounted, and keeps its row in view. */
export function useShownPlace(task: string | null, { count, at, positionOf }: Rows): void {
  const last = useRef(0)
  const taskAt = (index: number): Task | undefined => {
    const row = at(index)
    return isTaskRow(row) ? row.task : undefined
  }
  const row = task === null ? -1 : rowOf(task, taskAt, count, last.current)
  if (row >= 0) last.current = row
  const step = (by: -1 | 1) => {
    for (let passed = 1; passed <= passed_rows_max; passed++) {
      const index = row + by * passed
      if (index < 0 || index >= count) return null
      const found = taskAt(index)
      if (found !== undefined) return found.key
      if (at(index) === undefined) return null
    }
    return null
  }
  const place = row < 0 ? null : (positionOf?.(row) ?? { position: row + 1, count })
  const [previous, next] = row < 0 ? [null, null] : [step(-1), step(1)]
  const { position = null, count: total = 0 } = place ?? {}
  useEffect(() => {
    listPlace.set(position === null ? null : { position, count: total, previous, next })
  }, [position, total, previous, next])
  useEffect(() => () => listPlace.set(null), [])
  useEffect(() => {
    if (row >= 0) revealRow(row)
  }, [row])
}

/** Scrolls a row of the list into view. All rows have the same height. */
function revealRow(index: number): void {
  const frame = document.querySelector('.task-list, .gantt-frame')
  const height = frame?.querySelector('.task-row, .gantt-row')?.clientHeight ?? 0
  if (frame === null || height === 0) return
  const lowest = (index + 1) * height - frame.clientHeight
  frame.scrollTop = Math.max(lowest, Math.min(index * height, frame.scrollTop))
}
