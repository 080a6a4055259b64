/** The frame of every page behind the sign-in: navigation, top bar, live events, and the areas' global components. */
import './print.css'
import './shell.css'
import { ApiError } from '@atrium/sdk'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { NeededRole } from '../app/area.ts'
import { completeMenus, holdEarlyMenus } from '../app/early-menus.ts'
import { completeShortcuts, useShortcut } from '../app/shortcuts.ts'
import { refuseStrayFiles } from '../app/stray-files.ts'
import { whenIdle } from '../data/idle.ts'
import { follow } from '../data/live.ts'
import { useMode } from '../data/mode.ts'
import { isGuest, useHasRole, useLeaving } from '../data/session-store.ts'
import { toast, undoLast } from '../data/toasts.ts'
import { clientOf } from '../data/tokens.ts'
import { undoLatest } from '../data/undo.ts'
import { Sheet } from '../design/dialog.tsx'
import { sidePanelSlot } from '../design/side-panel-slot.ts'
import { t } from '../language/index.ts'
import { areas } from './areas.ts'
import { changeText } from './change-text.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { LinkedOrganization } from './linked-organization.tsx'
import { NewOrganizationHost } from './new-organization-host.tsx'
import { PaletteHost } from './palette-host.tsx'
import { RecentChangesHost } from './recent-changes-host.tsx'
import { Pages, usePageChange } from './router.tsx'
import { ShortcutsHost } from './shortcuts-dialog.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

export function Shell() {
  const mode = useMode()
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const announcement = usePageChange(main)
  const [navOpen, setNavOpen] = useState(false)
  const isLeaving = useLeaving()
  useEffect(() => {
    if (isLeaving) return
    clientOf(mode)
    return follow(mode)
  }, [mode, isLeaving])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the sheet
  useEffect(() => setNavOpen(false), [path])
  useEffect(refuseStrayFiles, [])
  useShortcut('mod+z', t('Undo'), undoNewest, { group: t('General') })
  return (
    <div className="shell" data-mode={mode}>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('Skip to content')}
      </button>
      <div className="shell-side">
        <Sidebar />
      </div>
      <TopBar onNavigation={() => setNavOpen(true)} />
      <main className="shell-main" id="main" tabIndex={-1} ref={main}>
        <LinkedOrganization>
          <Pages />
        </LinkedOrganization>
      </main>
      <div className="shell-panel" ref={sidePanelSlot.set} />
      <Sheet open={navOpen} onClose={() => setNavOpen(false)} title={t('Navigation')} side="left" size="s" hiddenTitle>
        <Sidebar inSheet />
      </Sheet>
      <p className="unseen" role="status">
        {announcement}
      </p>
      <ConnectionBar />
      <GoShortcuts />
      <PaletteHost />
      <ShortcutsHost />
      <RecentChangesHost />
      <NewOrganizationHost />
      <Everywhere />
    </div>
  )
}

/** Undoes the action of the newest toast, else the latest own change of the last day. */
function undoNewest(): void {
  // The server's undo is not for guests.
  if (undoLast() || isGuest()) return
  undoLatest().then(
    (change) =>
      toast({ text: change === null ? t('Nothing to undo') : t('Undone: {change}', { change: changeText(change) }) }),
    (error: unknown) => toast(error instanceof ApiError ? { error } : { text: String((error as Error).message) }),
  )
}

/** The shortcuts `g` + letter of the areas. */
function GoShortcuts() {
  return areas.map((area) => area.letter && <GoShortcut key={area.path} {...area} letter={area.letter} />)
}

function GoShortcut({ title, path, letter, role }: { title: string; path: string; letter: string; role?: NeededRole }) {
  const [, navigate] = useLocation()
  const may = useHasRole(role ?? 'admin') || role === undefined
  useShortcut(`g ${letter}`, t('Go to {title}', { title }), () => navigate(path), { group: t('Go to'), enabled: may })
  return null
}

const loads = areas.flatMap(({ everywhere: load }) => (load === undefined ? [] : [load]))
const everywhere: readonly LazyExoticComponent<ComponentType>[] = loads.map((load) =>
  lazy(async () => ({ default: await load() })),
)
/** Mounted when all of them are loaded. */
const AllLoaded = lazy(async () => {
  await Promise.all(loads.map((load) => load()))
  return { default: Complete }
})

function Complete() {
  useEffect(() => {
    completeShortcuts()
    completeMenus()
  }, [])
  return null
}

/** Shorter than a key that is pressed too early waits for its shortcut (`shortcuts.ts`). */
const everywhere_ms_max = 1500

/** The areas' global components, mounted after the first page, and not while the session ends: their reads would fail. */
function Everywhere() {
  const [isReady, setReady] = useState(false)
  const isLeaving = useLeaving()
  useEffect(() => whenIdle(() => setReady(true), everywhere_ms_max), [])
  useEffect(() => holdEarlyMenus(() => setReady(true)), [])
  if (!isReady || isLeaving) return null
  return [...everywhere, AllLoaded].map((Part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list is constant
    <Suspense key={i} fallback={null}>
      <Part />
    </Suspense>
  ))
}
