/** What the pages of money read in common. A workspace's projects are few. */
import type { Project } from '@atrium/sdk'
import { useAll } from '../../data/index.ts'

export function useProjects(workspace: string) {
  return useAll<Project>('project', { workspace }, (atrium) => atrium.projects.list({ workspace, limit: 100 }))
}

/** What a project is called; its id where it is not known, an empty text while it is looked for. */
export function useProjectName(workspace: string, project: string): string {
  const { data, isPending } = useProjects(workspace)
  return data?.find(({ id }) => id === project)?.name ?? (isPending ? '' : project)
}
