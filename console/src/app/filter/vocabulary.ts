/** The names that filters are made of, as read by the page. */
import type { Column, Task } from '@atrium/sdk'
import { useMemo } from 'react'
import { useAll, useDirectory, useSession } from '../../data/index.ts'
import { useNow } from '../../design/index.ts'
import { useAllFields } from '../tasks/field-reads.ts'
import { useColumns, useProjects, useWorkspaces } from '../tasks/reads.ts'
import { type FilterField, filterFields } from './fields.ts'
import type { Vocabulary } from './values.ts'

/** Columns of all projects whose names a filter knows. */
const columns_max = 1000

interface Scope {
  /** Limits the columns to those of this project. */
  readonly project?: string | undefined
  /** Limits the offered custom fields to those of this workspace. */
  readonly workspace?: string | undefined
}

/** Labels and parents are proposed from the given tasks. */
export function useVocabulary(tasks: readonly Task[] | undefined, { project, workspace }: Scope = {}): Vocabulary {
  const now = useNow()
  const { user } = useSession()
  const { active, teams } = useDirectory()
  const projects = useProjects().data
  const fields = useFilterFields(workspace)
  // The board of a project reads its columns, too.
  const own = useColumns(project ?? null).data
  const all = useAll<Column>('column', { filter: true }, (atrium) => atrium.columns.list({ limit: 100 }), {
    max: columns_max,
    enabled: project === undefined,
  }).data
  const columns = project === undefined ? all : own
  const labels = useMemo(() => [...new Set(tasks?.flatMap((task) => task.labels))].toSorted(), [tasks])
  return useMemo(
    () => ({
      me: user.id,
      people: active,
      teams,
      projects: projects ?? [],
      columns: (columns ?? []).flatMap(({ id, name, project: of }) => [{ id, name, project: of }]),
      fields,
      labels,
      tasks: tasks ?? [],
      now,
    }),
    [user.id, active, teams, projects, columns, fields, labels, tasks, now],
  )
}

/** The custom fields of all workspaces, of which the menu offers those of one, or all. */
export function useFilterFields(workspace: string | undefined): readonly FilterField[] {
  const { data: fields } = useAllFields()
  const { data: workspaces } = useWorkspaces()
  return useMemo(() => filterFields(fields ?? [], workspaces ?? [], workspace), [fields, workspaces, workspace])
}
