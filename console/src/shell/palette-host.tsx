/** Opens the palette with ⌘K or /. Its code is loaded when it first opens. */
import { lazy, Suspense, useState } from 'react'
import { openPalette, paletteIsOpen } from '../app/overlays.ts'
import { useShortcut } from '../app/shortcuts.ts'
import { useStore } from '../lib/store.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

export function PaletteHost() {
  const open = useStore(paletteIsOpen)
  const [wasOpen, setWasOpen] = useState(false)
  if (open && !wasOpen) setWasOpen(true)
  useShortcut('mod+k', 'Search or go to…', openPalette, { group: 'General' })
  useShortcut('/', 'Search or go to…', openPalette, { group: 'General' })
  if (!wasOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette open={open} />
    </Suspense>
  )
}
