/** The filter of a page in its URL, and whether the server takes it, for views that read tasks their own way. */
import type { Project, Task } from '@atrium/sdk'
import { useRef } from 'react'
import { type FilterFault, filterFault } from '../../app/filter/fault.ts'
import { projectOf } from '../../app/project-filter.ts'
import { useSavedFilters } from '../../app/views.ts'
import { useAll, useUrlChange, useUrlParam } from '../../data/index.ts'

/** The filter of a project's board in the URL, or that of the view it names; applying one is a step of the history. */
export function useTaskFilter() {
  const [filterParam] = useUrlParam('filter')
  const [savedParam] = useUrlParam('saved')
  const change = useUrlChange()
  const views = useSavedFilters()
  const saved = views.data?.find(({ id }) => id === savedParam)
  return {
    filter: filterParam ?? (saved === undefined ? '' : projectOf(saved.filter).rest),
    saved,
    apply: (text: string) => change(text === '' ? { filter: null, saved: null } : { filter: text }),
  }
}

/** Matching tasks that are read to learn whether the server takes a filter and whether any task matches. */
const sample_tasks = 100

interface BoardFilter {
  /** The newest filter that the server has taken; empty without one. */
  readonly applied: string
  /** Some of the tasks that match. */
  readonly tasks: readonly Task[] | undefined
  readonly isEmpty: boolean
  /** No answer yet, to this filter or a former one. */
  readonly isPending: boolean
  readonly fault: FilterFault | null
  readonly error: Error | null
}

/** The filter of a project's board. A board keeps the former one until the server has taken the new one. */
export function useBoardFilter(project: Project | undefined, filter: string): BoardFilter {
  const { data, error } = useAll<Task>(
    'task',
    { project: project?.id, filter },
    (atrium) =>
      atrium.tasks.list({
        project: project?.id ?? '',
        is_archived: project?.status === 'archived',
        filter,
        limit: sample_tasks,
      }),
    { max: sample_tasks, enabled: project !== undefined && filter !== '' },
  )
  const taken = useRef<string | null>(null)
  if (filter === '' || data !== undefined) taken.current = filter
  const fault = filterFault(error)
  return {
    applied: taken.current ?? '',
    tasks: data,
    isEmpty: filter !== '' && data?.length === 0,
    isPending: taken.current === null && error === null,
    fault,
    error: fault === null ? error : null,
  }
}
