/** Reads that several pages of this area share. An organization has few workspaces, projects and columns. */
import type { Column, Project, Task, TimeEntry, Workspace } from '@atrium/sdk'
import { useMemo } from 'react'
import { useAll, useHasRole, useObject, useSession } from '../../data/index.ts'

const projects_max = 1000
/** The running entry of the person is searched for among this many newest entries. */
const entries_max = 300

export function useWorkspaces() {
  return useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
}

/** All projects, archived ones included. */
export function useProjects() {
  return useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }), { max: projects_max })
}

/** The columns of a project in the order of its board. */
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
  return a.position - b.position || Number(a.id > b.id) - Number(a.id < b.id)
}

/** A task by its ID or key. */
export function useTask(id: string | null) {
  return useObject<Task>('task', id, (atrium, given, signal) => atrium.tasks.retrieve(given, {}, { signal }))
}

/** The running timer of the signed-in person. */
export function useRunningEntry(): TimeEntry | undefined {
  const { user } = useSession()
  const enabled = useHasRole('member')
  const { data } = useAll<TimeEntry>('time_entry', {}, (atrium) => atrium.timeEntries.list({ limit: 100 }), {
    max: entries_max,
    enabled,
  })
  return data?.find((entry) => entry.status === 'running' && entry.user === user.id)
}
