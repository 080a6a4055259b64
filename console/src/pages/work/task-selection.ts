/** The selected tasks of the page. They stay selected while other pages of a list are read, and end with their list or board. */
import type { Task } from '@atrium/sdk'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { toast } from '../../app/toasts.ts'
import { useAtrium } from '../../data/index.ts'
import { createStore, useStore } from '../../lib/store.ts'

/** Tasks that can be selected together. */
export const selected_tasks_max = 5000

const chosen = createStore<ReadonlyMap<string, Task>>(new Map())

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly tasks: readonly Task[]
  readonly toggle: (task: Task) => void
  readonly add: (tasks: readonly Task[]) => void
  readonly clear: () => void
}

export function selectedTasks(): readonly Task[] {
  return [...chosen.get().values()]
}

export function toggleSelected(task: Task): void {
  const next = new Map(chosen.get())
  if (!next.delete(task.id) && next.size < selected_tasks_max) next.set(task.id, task)
  chosen.set(next)
}

export function addSelected(tasks: readonly Task[]): void {
  const next = new Map(chosen.get())
  for (const task of tasks) if (next.size < selected_tasks_max) next.set(task.id, task)
  chosen.set(next)
}

export function clearSelected(): void {
  if (chosen.get().size > 0) chosen.set(new Map())
}

/** The selection of a list or board, which begins and ends with it. */
export function useSelection(): Selection {
  const map = useStore(chosen)
  useEffect(() => {
    clearSelected()
    return clearSelected
  }, [])
  const ids = useMemo(() => new Set(map.keys()), [map])
  const tasks = useMemo(() => [...map.values()], [map])
  return { ids, tasks, toggle: toggleSelected, add: addSelected, clear: clearSelected }
}

/** Renders again only when this task is selected or no longer. */
export function useIsSelected(id: string): boolean {
  return useSyncExternalStore(
    chosen.subscribe,
    useCallback(() => chosen.get().has(id), [id]),
  )
}
/** Reads and selects all tasks of a list, up to `selected_tasks_max`. */
export function useSelectAll(
  { filter, sort }: { readonly filter: string; readonly sort: string },
  selection: Selection,
) {
  const atrium = useAtrium()
  const [isReading, setReading] = useState(false)
  const run = async () => {
    setReading(true)
    try {
      const params = { filter: filter || undefined, sort: sort || undefined, limit: 100 }
      selection.add(await atrium.tasks.list(params).toArray({ max: selected_tasks_max }))
    } catch (error) {
      toast({ error })
    } finally {
      setReading(false)
    }
  }
  return { isReading, run: () => void run() }
}
