/** Opens the palette with ⌘K. The palette itself is loaded then. */
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { useShortcut } from './shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

let isOpen = false
const listeners = new Set<() => void>()

function setOpen(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export function openPalette(): void {
  setOpen(true)
}

export function closePalette(): void {
  setOpen(false)
}

export function PaletteHost() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
  const [wasOpen, setWasOpen] = useState(false)
  if (open && !wasOpen) setWasOpen(true)
  useShortcut('mod+k', 'Search or go to…', openPalette, { group: 'Everywhere' })
  useShortcut('/', 'Search or go to…', openPalette, { group: 'Everywhere' })
  if (!wasOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette open={open} />
    </Suspense>
  )
}
