/** Pinned views in the navigation. */
import { CalendarDays, ChartGantt, Kanban, List, type LucideIcon } from 'lucide-react'
import { useId } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useSavedFilters, viewHref } from '../app/views.ts'
import { t, textLanguage } from '../language/index.ts'

const pinned_max = 20

const icons: Readonly<Record<string, LucideIcon>> = { board: Kanban, calendar: CalendarDays, timeline: ChartGantt }

export function PinnedViews() {
  const heading = useId()
  const { data } = useSavedFilters()
  const [path] = useLocation()
  const saved = new URLSearchParams(useSearch()).get('saved')
  const pinned = data?.filter((view) => view.pinned).toSorted((a, b) => a.name.localeCompare(b.name, textLanguage()))
  if (pinned === undefined || pinned.length === 0) return null
  return (
    <section>
      <h2 className="nav-heading" id={heading}>
        {t('Pinned views')}
      </h2>
      <ul className="nav" aria-labelledby={heading}>
        {pinned.slice(0, pinned_max).map((view) => {
          const Icon = icons[view.layout] ?? List
          const href = viewHref(view)
          const isShown = view.id === saved && href.startsWith(`${path}?`)
          return (
            <li key={view.id}>
              <Link className="nav-link" href={href} aria-current={isShown ? 'page' : undefined}>
                <Icon aria-hidden="true" className="nav-icon" />
                <span className="cut">{view.name}</span>
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
