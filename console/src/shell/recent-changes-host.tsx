/** Opens the list of one's own changes with its key or from the palette; its code is loaded then. */
import { Undo2 } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { type Command, useCommands } from '../app/commands.ts'
import { recentChangesAreOpen } from '../app/overlays.ts'
import { useShortcut } from '../app/shortcuts.ts'
import { useHasRole } from '../data/session-store.ts'
import { t } from '../language/index.ts'
import { useStore } from '../lib/store.ts'

const RecentChanges = lazy(async () => ({ default: (await import('./recent-changes.tsx')).RecentChanges }))

const open = () => recentChangesAreOpen.set(true)

/** The list of changes and the undo are not for guests. */
export function RecentChangesHost() {
  return useHasRole('member') ? <MemberChanges /> : null
}

function MemberChanges() {
  const isOpen = useStore(recentChangesAreOpen)
  useShortcut('mod+alt+z', t('My recent changes'), open, { group: t('General') })
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        {
          id: 'shell.recent-changes',
          title: t('My recent changes'),
          group: t('General'),
          icon: Undo2,
          keys: 'mod+alt+z',
          words: t('undo history restore revert'),
          run: open,
        },
      ],
      [],
    ),
  )
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <RecentChanges onClose={() => recentChangesAreOpen.set(false)} />
    </Suspense>
  )
}
