/** Reads that several pages of this area share. A workspace has few projects. */
import type { Project } from '@atrium/sdk'
import { useAll } from '../../data/index.ts'
import { t } from '../../language/index.ts'

export function useProjects(workspace: string) {
  return useAll<Project>('project', { workspace }, (atrium) => atrium.projects.list({ workspace, limit: 100 }))
}

/** An empty text while the projects are being read. */
export function useProjectName(workspace: string, project: string): string {
  const { data, isPending } = useProjects(workspace)
  return data?.find(({ id }) => id === project)?.name ?? (isPending ? '' : t('Deleted project'))
}
