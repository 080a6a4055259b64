/** Pinned views in the navigation. */
import { CalendarDays, ChartGantt, Kanban, List, type LucideIcon } from 'lucide-react'
import { useLocation, useSearch } from 'wouter'
import { useSavedFilters, viewHref } from '../app/views.ts'
import { t, textLanguage } from '../language/index.ts'
import { NavEntry, NavSection } from './nav-section.tsx'

const pinned_max = 20

const icons: Readonly<Record<string, LucideIcon>> = { board: Kanban, calendar: CalendarDays, timeline: ChartGantt }

export function PinnedViews() {
  const { data } = useSavedFilters()
  const [path] = useLocation()
  const saved = new URLSearchParams(useSearch()).get('saved')
  const pinned = data?.filter((view) => view.pinned).toSorted((a, b) => a.name.localeCompare(b.name, textLanguage()))
  if (pinned === undefined || pinned.length === 0) return null
  return (
    <NavSection title={t('Pinned views')}>
      {pinned.slice(0, pinned_max).map((view) => {
        const href = viewHref(view)
        return (
          <NavEntry
            key={view.id}
            icon={icons[view.layout] ?? List}
            name={view.name}
            href={href}
            isHere={view.id === saved && href.startsWith(`${path}?`)}
          />
        )
      })}
    </NavSection>
  )
}
