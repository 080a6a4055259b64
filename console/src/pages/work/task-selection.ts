/** The selected tasks of a list. They stay selected while other pages of the list are read. */
import type { Task } from '@atrium/sdk'
import { useCallback, useMemo, useState } from 'react'
import { toast } from '../../app/toasts.ts'
import { useAtrium } from '../../data/index.ts'

/** Tasks that can be selected together. */
export const selected_tasks_max = 5000

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly tasks: readonly Task[]
  readonly toggle: (task: Task) => void
  readonly add: (tasks: readonly Task[]) => void
  readonly clear: () => void
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Task>>(new Map())
  const add = useCallback((tasks: readonly Task[]) => {
    setChosen((was) => {
      const next = new Map(was)
      for (const task of tasks) if (next.size < selected_tasks_max) next.set(task.id, task)
      return next
    })
  }, [])
  const toggle = useCallback((task: Task) => {
    setChosen((was) => {
      const next = new Map(was)
      if (!next.delete(task.id) && next.size < selected_tasks_max) next.set(task.id, task)
      return next
    })
  }, [])
  const ids = useMemo(() => new Set(chosen.keys()), [chosen])
  const tasks = useMemo(() => [...chosen.values()], [chosen])
  return { ids, tasks, toggle, add, clear: useCallback(() => setChosen(new Map()), []) }
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
