/** The navigation: the organization menu, and the areas with the links of the open one. */
import './sidebar.css'
import { Building2, ChevronsUpDown, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import type { Area, AreaLink } from '../app/area.ts'
import { newOrganizationIsOpen } from '../app/overlays.ts'
import { useUnread } from '../app/unread.ts'
import { withOrganization } from '../data/link-organization.ts'
import { useHasRole, useSession } from '../data/session-store.ts'
import { switchOrganization } from '../data/switch-organization.ts'
import { toast } from '../data/toasts.ts'
import { Menu, type MenuEntry } from '../design/menu.tsx'
import { inWords } from '../design/words.ts'
import { t } from '../language/index.ts'
import { areas } from './areas.ts'
import { useHere } from './here.ts'
import { preload } from './router.tsx'

const count_max = 99

/** Not part of the first load. */
const Favorites = lazy(() => import('./favorites.tsx').then((module) => ({ default: module.Favorites })))
const PinnedViews = lazy(() => import('./pinned-views.tsx').then((module) => ({ default: module.PinnedViews })))

export function Sidebar({ inSheet }: { readonly inSheet?: boolean }) {
  const shown = areas.filter(({ inNavigation }) => inNavigation !== false)
  const above = shown.filter(({ path }) => path !== '/settings' && path !== '/operator')
  const below = shown.filter((area) => !above.includes(area))
  return (
    <nav className="sidebar" aria-label={t('Main')} data-sheet={inSheet || undefined}>
      <OrganizationMenu />
      <ul className="nav">
        {above.map((area) => (
          <NavArea key={area.path} area={area} />
        ))}
      </ul>
      <ul className="nav nav-below">
        {below.map((area) => (
          <NavArea key={area.path} area={area} />
        ))}
      </ul>
      {/* Last, because they are read later and move nothing there. */}
      <Suspense fallback={null}>
        <Favorites />
        <PinnedViews />
      </Suspense>
    </nav>
  )
}

function OrganizationMenu() {
  const { organization, organizations, demo, operator } = useSession()
  const isMember = useHasRole('member')
  const items: MenuEntry[] = [
    { heading: t('Organizations') },
    ...organizations.map(({ id, name, role }) => ({
      label: name,
      hint: inWords(role),
      checked: id === organization.id,
      onSelect: () => void switchTo(id, organization.id),
    })),
    ...(isMember
      ? (['line', { label: t('Organization settings'), icon: Building2, to: '/settings/organization' }] as const)
      : []),
    ...(operator
      ? [{ label: t('New organization'), icon: Plus, onSelect: () => newOrganizationIsOpen.set(true) }]
      : []),
  ]
  return (
    <Menu
      align="start"
      label={t('Organizations')}
      items={items}
      trigger={
        <button type="button" className="organization">
          <img src="/icon.svg" alt="" width="22" height="22" className="organization-mark" />
          <span className="cut organization-name">{organization.name}</span>
          {demo && <span className="organization-demo">{t('Demo')}</span>}
          <ChevronsUpDown aria-hidden="true" className="organization-arrows" />
        </button>
      }
    />
  )
}

async function switchTo(organization: string, current: string): Promise<void> {
  if (organization === current) return
  try {
    await switchOrganization(organization)
    history.replaceState(null, '', withOrganization('/'))
  } catch (error) {
    toast({ error })
  }
}

function NavArea({ area }: { readonly area: Area }) {
  const [path] = useLocation()
  const may = useHasRole(area.role ?? 'admin') || area.role === undefined
  if (!may) return null
  const isOpen = area.path === '/' ? path === '/' : path === area.path || path.startsWith(`${area.path}/`)
  const links = isOpen ? (area.links ?? []) : []
  const Icon = area.icon
  return (
    <li>
      <Link
        className="nav-link"
        href={area.path}
        aria-current={isOpen && (links.length === 0 || path === area.path) ? 'page' : undefined}
        data-in={isOpen || undefined}
        onPointerEnter={() => preload(area.path)}
      >
        <Icon aria-hidden="true" className="nav-icon" />
        <span className="cut">{area.title}</span>
        {area.path === '/inbox' && <UnreadBadge />}
      </Link>
      {links.length > 0 && (
        <ul className="nav-links">
          {links.map((link) => (
            <NavLink key={link.path} link={link} links={links} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** How many tasks, boards and runs have something unread. */
function UnreadBadge() {
  const unread = useUnread()
  if (unread === 0) return null
  return (
    <span className="nav-count numbers">
      {unread > count_max ? `${count_max}+` : unread}
      <span className="unseen"> {t('unread')}</span>
    </span>
  )
}

function NavLink({ link, links }: { readonly link: AreaLink; readonly links: readonly AreaLink[] }) {
  const path = useHere()
  const may = useHasRole(link.role ?? 'admin') || link.role === undefined
  if (!may) return null
  // The longest matching path is current: /work/tasks rather than /work.
  const matches = (each: AreaLink) => path === each.path || path.startsWith(`${each.path}/`)
  const isCurrent = matches(link) && !links.some((each) => each.path.length > link.path.length && matches(each))
  return (
    <li>
      <Link
        className="nav-link nav-sub"
        href={link.path}
        aria-current={isCurrent ? 'page' : undefined}
        onPointerEnter={() => preload(link.path)}
      >
        <span className="cut">{link.title}</span>
      </Link>
    </li>
  )
}
