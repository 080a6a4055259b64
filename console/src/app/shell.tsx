/** What is around every page of somebody who is signed in: navigation, search, live events, what areas add everywhere. */
import './shell.css'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { follow } from '../data/live.ts'
import { useMode } from '../data/mode.ts'
import { useMay } from '../data/session-store.ts'
import { undoLast } from '../data/toasts.ts'
import { clientOf } from '../data/tokens.ts'
import { Sheet } from '../design/dialog.tsx'
import { areas } from './areas.ts'
import { PaletteHost } from './palette-host.tsx'
import { Pages, useArrival } from './router.tsx'
import { useShortcut } from './shortcuts.ts'
import { ShortcutsHost } from './shortcuts-dialog.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

export function Shell() {
  const mode = useMode()
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const said = useArrival(main)
  const [navOpen, setNavOpen] = useState(false)
  useEffect(() => {
    clientOf(mode)
    return follow(mode)
  }, [mode])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => setNavOpen(false), [path])
  useShortcut('mod+z', 'Undo', () => void undoLast(), { group: 'Everywhere' })
  return (
    <div className="shell" data-mode={mode}>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <div className="shell-side">
        <Sidebar />
      </div>
      <TopBar onNavigation={() => setNavOpen(true)} />
      <main className="shell-main" id="main" tabIndex={-1} ref={main}>
        <Pages />
      </main>
      <Sheet open={navOpen} onClose={() => setNavOpen(false)} title="Navigation" side="left" size="s" bareTitle>
        <Sidebar inSheet />
      </Sheet>
      <p className="unseen" role="status">
        {said}
      </p>
      <GoShortcuts />
      <PaletteHost />
      <ShortcutsHost />
      <Everywhere />
    </div>
  )
}

/** `g` and a letter. */
function GoShortcuts() {
  return areas.map((area) => area.letter && <GoShortcut key={area.path} {...area} letter={area.letter} />)
}

function GoShortcut({
  title,
  path,
  letter,
  role,
}: {
  title: string
  path: string
  letter: string
  role?: 'admin' | 'owner'
}) {
  const [, navigate] = useLocation()
  const may = useMay(role ?? 'admin') || role === undefined
  useShortcut(`g ${letter}`, `Go to ${title}`, () => navigate(path), { group: 'Go to', enabled: may })
  return null
}

const everywhere: readonly LazyExoticComponent<ComponentType>[] = areas.flatMap(({ everywhere: load }) =>
  load === undefined ? [] : [lazy(async () => ({ default: await load() }))],
)

/** What areas add to every page, once the first page is there. */
function Everywhere() {
  const [isTime, setIsTime] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsTime(true), 300)
    return () => clearTimeout(timer)
  }, [])
  if (!isTime) return null
  return everywhere.map((Part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change
    <Suspense key={at} fallback={null}>
      <Part />
    </Suspense>
  ))
}
