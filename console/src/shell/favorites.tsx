/** The person's favorites in the navigation. */
import type { Atrium } from '@atrium/sdk'
import { type LucideIcon, PenTool, SquareKanban, Workflow } from 'lucide-react'
import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import { useFavorites } from '../app/favorites.tsx'
import { useObject } from '../data/index.ts'
import { t } from '../language/index.ts'

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
  const heading = useId()
  const favorites = useFavorites()
  if (favorites.length === 0) return null
  return (
    <section>
      <h2 className="nav-heading" id={heading}>
        {t('Favorites')}
      </h2>
      <ul className="nav" aria-labelledby={heading}>
        {favorites.map((id) => {
          const kind = kinds[id.slice(0, id.indexOf('_'))]
          return kind && <Favorite key={id} id={id} kind={kind} />
        })}
      </ul>
    </section>
  )
}

/** Nothing while it is read, and nothing of what is gone or closed to the person. */
function Favorite({ id, kind: { noun, icon: Icon, path, read } }: { readonly id: string; readonly kind: Kind }) {
  const { data, isError } = useObject(noun, id, read)
  const [here] = useLocation()
  if (data === undefined || isError) return null
  const href = `${path}/${id}`
  return (
    <li>
      <Link className="nav-link" href={href} aria-current={here === href ? 'page' : undefined}>
        <Icon aria-hidden="true" className="nav-icon" />
        <span className="cut">{data.name}</span>
      </Link>
    </li>
  )
}
