/** The order in which a page shows its tasks, for the previous and next task of the open panel. */
import type { Task } from '@atrium/sdk'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createStore, useStore } from '../../lib/store.ts'

/** Rows of a long list that are searched for the open task, before and after its last known row. */
const searched_rows = 300

/** The place of the open task. `previous` and `next` are keys. */
export interface TaskPlace {
  /** From 1. */
  readonly position: number
  readonly count: number
  readonly previous: string | null
  readonly next: string | null
}

type Shown = Pick<Task, 'id' | 'key'>

interface BoardOrder {
  readonly tasks: readonly Shown[]
  readonly count: number
}

const no_order: BoardOrder = { tasks: [], count: 0 }
const boardOrder = createStore<BoardOrder>(no_order)

/**
 * Publishes the tasks of the board in the order of its lanes, while the board is mounted. `count` is the number of all its
 * tasks if some are not read yet.
 */
export function useShownOrder(tasks: readonly Shown[], count = tasks.length): void {
  const text = tasks.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same ids in the same order are the same order
  useEffect(() => {
    boardOrder.set({ tasks: tasks.map(({ id, key }) => ({ id, key })), count })
    return () => boardOrder.set(no_order)
  }, [text, count])
}

/** The place of a task, by id or key, on the board; null if the board does not show it. */
export function useBoardPlace(task: string | null): TaskPlace | null {
  const { tasks, count } = useStore(boardOrder)
  return useMemo(() => {
    if (task === null) return null
    const index = tasks.findIndex((each) => isTask(each, task))
    if (index < 0) return null
    return {
      position: index + 1,
      count,
      previous: tasks[index - 1]?.key ?? null,
      next: tasks[index + 1]?.key ?? null,
    }
  }, [tasks, count, task])
}

/** The row of a task in a list of which only some rows are read; -1 if it is not near `start`. */
export function rowOf(task: string, at: (index: number) => Shown | undefined, count: number, start: number): number {
  const found = (index: number) => index >= 0 && index < count && isTask(at(index), task)
  for (let distance = 0; distance <= searched_rows; distance++) {
    if (found(start + distance)) return start + distance
    if (found(start - distance)) return start - distance
  }
  return -1
}

function isTask(shown: Shown | undefined, task: string): boolean {
  return shown !== undefined && (shown.key === task || shown.id === task)
}

/** Whether the panel shows this task. A card follows only its own answer, so opening a task renders two cards. */
export function useIsOpen({ id, key }: Shown): boolean {
  return useSyncExternalStore(followAddress, () => {
    const task = new URLSearchParams(location.search).get('task')
    return task !== null && (task === key || task === id)
  })
}

const address_events = ['popstate', 'pushState', 'replaceState'] as const

function followAddress(listener: () => void): () => void {
  for (const name of address_events) addEventListener(name, listener)
  return () => {
    for (const name of address_events) removeEventListener(name, listener)
  }
}
