/** Results of a search as the console shows them: their kinds, icons and pages. */
import type { Project, SearchResult } from '@atrium/sdk'
import {
  Briefcase,
  File,
  FolderKanban,
  type LucideIcon,
  MessageSquareText,
  PenTool,
  SquareCheckBig,
} from 'lucide-react'
import { useMemo } from 'react'
import { useAll } from '../../data/index.ts'
import { t } from '../../language/index.ts'

/** The longest query that the API takes. */
export const query_chars_max = 200
const projects_max = 1000

export interface Kind {
  readonly type: 'task' | 'comment' | 'project' | 'board' | 'file' | 'portfolio'
  /** Heading of a group, and name of the filter. */
  readonly name: string
  readonly icon: LucideIcon
}

export const kinds: readonly Kind[] = [
  { type: 'task', name: t('Tasks'), icon: SquareCheckBig },
  { type: 'comment', name: t('Comments'), icon: MessageSquareText },
  { type: 'project', name: t('Projects'), icon: FolderKanban },
  { type: 'board', name: t('Boards'), icon: PenTool },
  { type: 'file', name: t('Files'), icon: File },
  { type: 'portfolio', name: t('Portfolios'), icon: Briefcase },
]

export function kindOf({ type }: SearchResult): Kind {
  return kinds.find((kind) => kind.type === type) ?? (kinds[0] as Kind)
}

/** The page of what was found. A portfolio is shown on the page of its workspace. */
export function pathOf({ type, id, key, workspace }: SearchResult): string {
  if (type === 'task' || type === 'comment') return key === null ? `/open/${id}` : `/work/tasks/${key}`
  if (type === 'project') return `/work/projects/${id}`
  if (type === 'board') return `/boards/${id}`
  if (type === 'file') return `/search/files/${id}`
  return workspace === null ? `/open/${id}` : `/work/workspaces/${workspace}`
}

export function pageOf(query: string): string {
  return `/search?${new URLSearchParams({ query })}`
}

/** The name of each project by its id. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const { data } = useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }), {
    max: projects_max,
  })
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data])
}
