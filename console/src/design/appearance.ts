/** The settings of this browser: theme, density, single-character shortcuts. public/appearance.js applies them before the first paint. */
import { createStore, useStore } from '../lib/store.ts'

export interface Appearance {
  readonly theme: 'system' | 'light' | 'dark'
  readonly density: 'comfortable' | 'compact'
  /** Single-character shortcuts, which speech input can trigger by accident (WCAG 2.1.4). */
  readonly shortcuts: boolean
}

const storage_key = 'atrium.appearance'
const defaults: Appearance = { theme: 'system', density: 'comfortable', shortcuts: true }

const current = createStore(readAppearance())

function readAppearance(): Appearance {
  try {
    const stored = JSON.parse(localStorage.getItem(storage_key) ?? '{}') as Partial<Appearance>
    return {
      theme: stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : 'system',
      density: stored.density === 'compact' ? 'compact' : 'comfortable',
      shortcuts: stored.shortcuts !== false,
    }
  } catch {
    return defaults
  }
}

function apply(appearance: Appearance): void {
  const { theme, density } = appearance
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  if (density === 'compact') dataset.density = 'compact'
  else delete dataset.density
  current.set(appearance)
}

export function appearance(): Appearance {
  return current.get()
}

export function setAppearance(change: Partial<Appearance>): void {
  const next = { ...current.get(), ...change }
  try {
    localStorage.setItem(storage_key, JSON.stringify(next))
  } catch {
    // Without storage the setting lasts until the page is closed.
  }
  apply(next)
}

// Follows changes in other tabs.
addEventListener('storage', ({ key }) => {
  if (key === storage_key) apply(readAppearance())
})

export function useAppearance(): Appearance {
  return useStore(current)
}
