/** Whether the palette and the list of shortcuts are open. The shell shows them; any page opens them. */
import { createStore } from '../lib/store.ts'

export const paletteIsOpen = createStore(false)
export const shortcutsAreOpen = createStore(false)
export const recentChangesAreOpen = createStore(false)

export function openPalette(): void {
  paletteIsOpen.set(true)
}

export function closePalette(): void {
  paletteIsOpen.set(false)
}

export function openShortcuts(): void {
  shortcutsAreOpen.set(true)
}
