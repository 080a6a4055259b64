/** The list of shortcuts, opened with `?`; its content is loaded then. */
import { lazy, Suspense } from 'react'
import { openShortcuts, shortcutsAreOpen } from '../app/overlays.ts'
import { useShortcut } from '../app/shortcuts.ts'
import { Dialog } from '../design/dialog.tsx'
import { useStore } from '../lib/store.ts'

const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

export function ShortcutsHost() {
  const open = useStore(shortcutsAreOpen)
  useShortcut('?', 'Keyboard shortcuts', openShortcuts, { group: 'General' })
  return (
    <Dialog open={open} onClose={() => shortcutsAreOpen.set(false)} title="Keyboard shortcuts" size="l">
      <Suspense fallback={null}>
        <ShortcutList />
      </Suspense>
    </Dialog>
  )
}
