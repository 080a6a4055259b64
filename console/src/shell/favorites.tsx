/** The person's favorites in the navigation, in the order that the person gives them: by dragging, or with Alt and the arrow keys. */
import './favorites.css'
import type { Atrium } from '@atrium/sdk'
import { type LucideIcon, PenTool, SquareKanban, Workflow } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { useFavorites } from '../app/favorites.tsx'
import { useAppWrite, useMode, useObject } from '../data/index.ts'
import { t } from '../language/index.ts'
import { type MoveBeside, useFavoriteDrag } from './favorite-drag.ts'
import { useIsHere } from './here.ts'
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
  const { ids, moveBeside } = useOrder()
  if (ids.length === 0) return null
  return (
    <NavSection title={t('Favorites')}>
      {ids.map((id) => {
        const kind = kinds[id.slice(0, id.indexOf('_'))]
        return kind && <Favorite key={id} id={id} kind={kind} moveBeside={moveBeside} />
      })}
    </NavSection>
  )
}

/** The order is shown at once, and saved after what is being saved already. */
function useOrder(): { readonly ids: readonly string[]; readonly moveBeside: MoveBeside } {
  const mode = useMode()
  const saved = useFavorites()
  const [wanted, setWanted] = useState<readonly string[] | null>(null)
  const write = useAppWrite('PATCH preferences')
  const saving = useRef<Promise<unknown>>(Promise.resolve())
  const ids = wanted ?? saved
  return {
    ids,
    moveBeside: (id, other, side) => {
      const others = ids.filter((each) => each !== id)
      const at = others.indexOf(other) + (side === 'after' ? 1 : 0)
      const next = [...others.slice(0, at), id, ...others.slice(at)]
      setWanted(next)
      saving.current = saving.current
        .then(() => write.run({ body: { favorites: { [mode]: next } } }))
        .then(() => setWanted((latest) => (latest === next ? null : latest)))
    },
  }
}

interface FavoriteProps {
  readonly id: string
  readonly kind: Kind
  readonly moveBeside: MoveBeside
}

/** Nothing while it is read, and nothing of what is gone or closed to the person. */
function Favorite({ id, kind: { noun, icon, path, read }, moveBeside }: FavoriteProps) {
  const { data, isError } = useObject(noun, id, read)
  const href = `${path}/${id}`
  const isHere = useIsHere(href)
  const { item, edge, isDragged } = useFavoriteDrag(id, data !== undefined && !isError, moveBeside)
  const onKeyDown = useSteps(id, moveBeside)
  if (data === undefined || isError) return null
  const marks = { 'data-favorite': id, 'data-edge': edge ?? undefined, 'data-dragged': isDragged || undefined }
  return (
    <NavEntry
      icon={icon}
      name={data.name}
      href={href}
      isHere={isHere}
      item={{ ref: item, className: 'nav-favorite', onKeyDown, ...marks }}
      keyShortcuts="Alt+ArrowUp Alt+ArrowDown"
    />
  )
}

/** Alt with an arrow key moves a favorite past the next one that is shown. The focus stays on it, although its element moves. */
function useSteps(id: string, moveBeside: MoveBeside) {
  const moved = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    moved.current?.focus()
    moved.current = null
  })
  return (event: KeyboardEvent<HTMLLIElement>) => {
    const isUp = event.key === 'ArrowUp'
    if (!event.altKey || !(isUp || event.key === 'ArrowDown')) return
    event.preventDefault()
    const { previousElementSibling: above, nextElementSibling: below } = event.currentTarget
    const other = (isUp ? above : below)?.getAttribute('data-favorite')
    if (!other) return
    moved.current = event.currentTarget.querySelector('a')
    moveBeside(id, other, isUp ? 'before' : 'after')
  }
}
