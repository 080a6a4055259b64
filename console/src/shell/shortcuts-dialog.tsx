/** The list of shortcuts, opened with `?`; its content is loaded then. */
import { lazy, Suspense } from 'react'
import { openShortcuts, shortcutsAreOpen } from '../app/overlays.ts'
import { useShortcut } from '../app/shortcuts.ts'
import { Dialog } from '../design/dialog.tsx'
import { t } from '../language/index.ts'
import { useStore } from '../lib/store.ts'

const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

export function ShortcutsHost() {
  const open = useStore(shortcutsAreOpen)
  useShortcut('?', t('Keyboard shortcuts'), openShortcuts, { group: t('General') })
  return (
    <Dialog open={open} onClose={() => shortcutsAreOpen.set(false)} title={t('Keyboard shortcuts')} size="l">
      <Suspense fallback={null}>
        <ShortcutList />
      </Suspense>
    </Dialog>
  )
}
