/** Links to the other layouts of the same tasks: board, list, calendar. The filter goes along. */
import './layout-links.css'
import { CalendarDays, Kanban, List, type LucideIcon } from 'lucide-react'
import { Link } from 'wouter'
import { projectOf } from './project-filter.ts'

export type Layout = 'board' | 'list' | 'calendar'

interface Target {
  readonly layout: Layout
  readonly title: string
  readonly icon: LucideIcon
  readonly href: string
}

interface LayoutLinksProps {
  readonly current: Layout
  /** The whole filter, with the project. */
  readonly filter: string
}

export function LayoutLinks({ current, filter }: LayoutLinksProps) {
  return (
    <nav className="layouts" aria-label="Layout">
      {targets(filter).map(({ layout, title, icon: Icon, href }) => (
        <Link key={layout} href={href} className="layout" aria-current={layout === current ? 'page' : undefined}>
          <Icon aria-hidden="true" />
          <span className="layout-title">{title}</span>
        </Link>
      ))}
    </nav>
  )
}

/** A board shows the columns of one project. */
function targets(filter: string): readonly Target[] {
  const { project, rest } = projectOf(filter)
  const board = `/work/projects/${project}${query(rest)}`
  return [
    ...(project === null ? [] : [{ layout: 'board', title: 'Board', icon: Kanban, href: board } as const]),
    { layout: 'list', title: 'List', icon: List, href: `/work/tasks${query(filter, project !== null)}` },
    { layout: 'calendar', title: 'Calendar', icon: CalendarDays, href: `/work/calendar${query(filter)}` },
  ]
}

/** The list of one project opens in the order that people gave it by hand. */
function query(filter: string, isOrdered = false): string {
  const params = { ...(filter === '' ? {} : { filter }), ...(isOrdered ? { sort: 'position' } : {}) }
  return filter === '' ? '' : `?${new URLSearchParams(params)}`
}
