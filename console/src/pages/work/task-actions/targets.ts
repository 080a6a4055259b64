/** The tasks that an action is about, found from the selection, the focus, the mouse, or the open panel. */
import type { Task } from '@atrium/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { findCached } from '../../../data/cache.ts'
import { useAtrium, useMode } from '../../../data/index.ts'
import { createStore } from '../../../lib/store.ts'
import { selectedTasks } from '../task-selection.ts'

/** The task whose panel or page is open. */
const openTask = createStore<Task | null>(null)

export function useOpenTask(task: Task): void {
  useEffect(() => {
    openTask.set(task)
    return () => openTask.set(null)
  }, [task])
}

/** The row or card of an element, or of the focus, or below the mouse. */
export function taskElement(at: Element | null = document.activeElement): HTMLElement | null {
  const own = at?.closest<HTMLElement>('[data-task]')
  return own ?? document.querySelector<HTMLElement>('[data-task]:hover')
}

/** Whether an action has something to act on. */
export function hasTargets(): boolean {
  return selectedTasks().length > 0 || taskElement() !== null || openTask.get() !== null
}

/** Finds tasks that the page has read. */
export function useReadTask(): (id: string) => Task | undefined {
  const client = useQueryClient()
  const mode = useMode()
  return useCallback((id) => findCached<Task>(client, mode, 'task', id), [client, mode])
}

/** Reads tasks by their ids, from what the page has read already where possible. */
export function useTasksOf(): (ids: readonly string[]) => Promise<readonly Task[]> {
  const client = useQueryClient()
  const mode = useMode()
  const atrium = useAtrium()
  return useCallback(
    (ids) =>
      Promise.all(
        ids.map(async (id) => findCached<Task>(client, mode, 'task', id) ?? (await atrium.tasks.retrieve(id))),
      ),
    [client, mode, atrium],
  )
}

/** The targets of a key. An element that is not selected stands for itself. */
export function targetIds(element: HTMLElement | null = taskElement()): readonly string[] {
  const selected = selectedTasks().map(({ id }) => id)
  if (selected.length > 0) return selected
  const id = element?.dataset.task
  if (id !== undefined) return [id]
  const open = openTask.get()
  return open === null ? [] : [open.id]
}

/** The targets of a menu: the whole selection if the element belongs to it, else the element alone. */
export function menuTargetIds(element: HTMLElement): readonly string[] {
  const own = element.dataset.task ?? ''
  const selected = selectedTasks().map(({ id }) => id)
  return selected.includes(own) ? selected : [own]
}
