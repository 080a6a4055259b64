/** Whether the palette, the list of shortcuts and the other overlays of every page are open. The shell shows them; any page opens them. */
import { createStore } from '../lib/store.ts'

export const paletteIsOpen = createStore(false)
export const shortcutsAreOpen = createStore(false)
export const recentChangesAreOpen = createStore(false)
export const newOrganizationIsOpen = createStore(false)

export function openPalette(): void {
  paletteIsOpen.set(true)
}

export function closePalette(): void {
  paletteIsOpen.set(false)
}

export function openShortcuts(): void {
  shortcutsAreOpen.set(true)
}
