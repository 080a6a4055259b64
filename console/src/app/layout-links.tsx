/** Links to the other layouts of the same tasks, and to the whiteboards of their project. Filter, order, groups and the saved view go along. */
import './layout-links.css'
import { CalendarDays, ChartGantt, Kanban, List, type LucideIcon, PenTool } from 'lucide-react'
import { Link, useSearch } from 'wouter'
import { t } from '../language/index.ts'
import { projectOf } from './project-filter.ts'

export type Layout = 'board' | 'list' | 'calendar' | 'timeline'

type Place = Layout | 'whiteboards'

interface Target {
  readonly layout: Place
  readonly title: string
  readonly icon: LucideIcon
  readonly href: string
}

interface LayoutLinksProps {
  readonly current: Place
  /** The whole filter, with the project. */
  readonly filter: string
}

export function LayoutLinks({ current, filter }: LayoutLinksProps) {
  const search = useSearch()
  return (
    <nav className="layouts" aria-label={t('Layout')}>
      {targets(filter, new URLSearchParams(search)).map(({ layout, title, icon: Icon, href }) => (
        <Link
          key={layout}
          href={href}
          className="layout shrinks"
          aria-current={layout === current ? 'page' : undefined}
          title={title}
        >
          <Icon aria-hidden="true" />
          <span className="shrinks-text">{title}</span>
        </Link>
      ))}
    </nav>
  )
}

/** Parameters that mean the same in every layout, beside the filter. */
const kept_params = ['sort', 'group', 'saved'] as const

/** The board of one project shows its columns, unless the tasks are grouped by another property. */
function targets(filter: string, search: URLSearchParams): readonly Target[] {
  const { project, rest } = projectOf(filter)
  const kept = kept_params.flatMap((name) => {
    const value = search.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const address = (path: string, text: string, ...more: readonly (readonly [string, string])[]) => {
    const params = new URLSearchParams([
      ...(text === '' ? [] : [['filter', text] as [string, string]]),
      ...more,
      ...kept,
    ] as [string, string][])
    return params.size === 0 ? path : `${path}?${params}`
  }
  // The list of one project opens in the order that people gave it by hand.
  const ordered = project === null || search.has('sort') ? [] : ([['sort', 'position']] as const)
  const isByColumn = project !== null && [null, 'none', 'column'].includes(search.get('group'))
  return [
    {
      layout: 'board',
      title: t('Board'),
      icon: Kanban,
      href: isByColumn ? address(`/work/projects/${project}`, rest) : address('/work/board', filter),
    },
    { layout: 'list', title: t('List'), icon: List, href: address('/work/tasks', filter, ...ordered) },
    { layout: 'calendar', title: t('Calendar'), icon: CalendarDays, href: address('/work/calendar', filter) },
    { layout: 'timeline', title: t('Timeline'), icon: ChartGantt, href: address('/work/timeline', filter) },
    ...(project === null
      ? []
      : [
          {
            layout: 'whiteboards',
            title: t('Whiteboards'),
            icon: PenTool,
            href: address(`/work/projects/${project}/whiteboards`, rest),
          } as const,
        ]),
  ]
}
