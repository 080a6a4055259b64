/** The person's favorites in the navigation. */
import type { Atrium } from '@atrium/sdk'
import { type LucideIcon, PenTool, SquareKanban, Workflow } from 'lucide-react'
import { useLocation } from 'wouter'
import { useFavorites } from '../app/favorites.tsx'
import { useObject } from '../data/index.ts'
import { t } from '../language/index.ts'
import { NavEntry, NavSection } from './nav-section.tsx'

interface Kind {
  readonly noun: string
  readonly icon: LucideIcon
  readonly path: string
  readonly read: (atrium: Atrium, id: string, signal: AbortSignal) => Promise<{ readonly name: string }>
}

const kinds: Readonly<Record<string, Kind>> = {
  prj: {
    noun: 'project',
    icon: SquareKanban,
    path: '/work/projects',
    read: (atrium, id, signal) => atrium.projects.retrieve(id, {}, { signal }),
  },
  brd: {
    noun: 'board',
    icon: PenTool,
    path: '/boards',
    read: (atrium, id, signal) => atrium.boards.retrieve(id, {}, { signal }),
  },
  flow: {
    noun: 'automation_flow',
    icon: Workflow,
    path: '/automations',
    read: (atrium, id, signal) => atrium.automationFlows.retrieve(id, {}, { signal }),
  },
}

export function Favorites() {
  const favorites = useFavorites()
  if (favorites.length === 0) return null
  return (
    <NavSection title={t('Favorites')}>
      {favorites.map((id) => {
        const kind = kinds[id.slice(0, id.indexOf('_'))]
        return kind && <Favorite key={id} id={id} kind={kind} />
      })}
    </NavSection>
  )
}

/** Nothing while it is read, and nothing of what is gone or closed to the person. */
function Favorite({ id, kind: { noun, icon, path, read } }: { readonly id: string; readonly kind: Kind }) {
  const { data, isError } = useObject(noun, id, read)
  const [here] = useLocation()
  if (data === undefined || isError) return null
  const href = `${path}/${id}`
  return <NavEntry icon={icon} name={data.name} href={href} isHere={here === href} />
}
