/** Reads of subtasks and of the tasks above a task. */
import type { Atrium, Task } from '@atrium/sdk'
import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useColumns } from '../../app/tasks/reads.ts'
import { useAll } from '../../data/index.ts'
import { useHiddenTasks } from './deletions.ts'
import { orderSubtasks } from './subtask-order.ts'

/** Subtasks of one task that are shown at first, and by groups of a list. */
export const subtasks_max = 500
/** The most that a task can have, by the API. */
const subtasks_limit = 1000

/** The parameters by which lists of subtasks are cached. */
export function subtasksKey(parent: string, all = subtasks_max) {
  return { parent, all }
}

/** The parameters of all lists of the subtasks of one task. */
export function subtasksKeys(parent: string) {
  return [subtasksKey(parent), subtasksKey(parent, subtasks_limit)]
}

/**
 * The subtasks of a task in the order of its board, the first ones or, with `isWhole`, all. Those in other archived projects
 * are not listed.
 */
export function useSubtasks(task: Task, isWhole: boolean) {
  const { id, project, is_archived, subtask_count } = task
  const { columns, isError } = useColumns(project)
  const isOrdered = project === null || columns !== undefined || isError
  const hidden = useHiddenTasks()
  const list = (atrium: Atrium) => atrium.tasks.list({ parent: id, is_archived, sort: 'position', limit: 100 })
  const hasRows = subtask_count > 0
  const first = useAll<Task>('task', { parent: id }, list, { max: subtasks_max, enabled: hasRows })
  const whole = useAll<Task>('task', { parent: id }, list, { max: subtasks_limit, enabled: hasRows && isWhole })
  const read = isWhole && whole.data !== undefined ? whole : first
  const rows = useMemo(() => {
    // A task whose parent has just changed stays in the list until it is read again.
    const own = read.data?.filter((row) => row.parent === id && !hidden.has(row.id))
    return own && isOrdered ? orderSubtasks(own, project, columns ?? []) : undefined
  }, [read.data, hidden, id, project, columns, isOrdered])
  return {
    ...read,
    rows: subtask_count === 0 && rows === undefined ? [] : rows,
    /** Whether there may be more than the first ones. */
    hasMore: read === first && (first.data?.length ?? 0) >= subtasks_max,
    isLoadingMore: isWhole && whole.isLoading,
  }
}

/** Links to a task from within another one: in the panel over a list or board, the panel stays. */
export function useTaskHref(): (key: string) => string {
  const [path] = useLocation()
  const search = useSearch()
  return (key) => {
    const params = new URLSearchParams(search)
    if (!params.has('task')) return `/work/tasks/${key}`
    params.set('task', key)
    return `${path}?${params}`
  }
}
