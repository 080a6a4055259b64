/** What the pages of work read in common. Lists of one organization's workspaces, projects and columns are short. */
import type { Column, Project, Task, TimeEntry, Workspace } from '@atrium/sdk'
import { useMemo } from 'react'
import { useAll, useObject, useSession } from '../../data/index.ts'

/** Cards of a board that are drawn. */
export const board_tasks_max = 1000
const projects_max = 1000
/** The newest entries, among which one's own running one is looked for. */
const entries_max = 300

export function useWorkspaces() {
  return useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
}

/** All of them, archived ones too: `active` in those that are shown for choosing. */
export function useProjects() {
  return useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }), { max: projects_max })
}

/** A project's columns as they stand on its board. */
export function useColumns(project: string | null) {
  const read = useAll<Column>(
    'column',
    { project },
    (atrium) => atrium.columns.list({ project: project ?? '', limit: 100 }),
    { enabled: project !== null },
  )
  const columns = useMemo(() => read.data?.toSorted(byPosition), [read.data])
  return { ...read, columns }
}

export function byPosition(
  a: { readonly position: number; readonly id: string },
  b: { readonly position: number; readonly id: string },
): number {
  return a.position - b.position || (a.id < b.id ? -1 : 1)
}

/** By its id or its key. */
export function useTask(id: string | null) {
  return useObject<Task>('task', id, (atrium, given, signal) => atrium.tasks.retrieve(given, {}, { signal }))
}

/** The timer that runs for the person who is signed in. */
export function useRunningEntry(): TimeEntry | undefined {
  const { user } = useSession()
  const { data } = useAll<TimeEntry>('time_entry', {}, (atrium) => atrium.timeEntries.list({ limit: 100 }), {
    max: entries_max,
  })
  return data?.find((entry) => entry.status === 'running' && entry.user === user.id)
}
