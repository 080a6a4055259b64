/** Saved filters as views: those that the person sees, and the pages that show them. */
import type { SavedFilter } from '@atrium/sdk'
import { useAll } from '../data/index.ts'
import { projectOf } from './project-filter.ts'

/** Views that are read. */
const views_max = 500

/** The saved filters that the person sees: those of the team, and the own private ones. */
export function useSavedFilters() {
  return useAll<SavedFilter>('saved_filter', {}, (atrium) => atrium.savedFilters.list({ limit: 100 }), {
    max: views_max,
  })
}

type View = Pick<SavedFilter, 'id' | 'layout' | 'filter' | 'group_by'>

const paths: Readonly<Record<string, string>> = {
  list: '/work/tasks',
  calendar: '/work/calendar',
  timeline: '/work/timeline',
}

/** The board of one project shows its columns, unless the view divides it by another property. */
export function viewHref({ id, layout, filter, group_by }: View): string {
  const { project } = projectOf(filter)
  const isByColumn = project !== null && (group_by === null || group_by === 'column')
  const board = isByColumn ? `/work/projects/${project}` : '/work/board'
  return `${paths[layout] ?? board}?saved=${id}`
}
