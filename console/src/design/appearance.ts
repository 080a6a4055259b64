/** How the console looks in this browser: theme, density, single-key shortcuts. Read before anything is drawn by public/appearance.js. */
import { useSyncExternalStore } from 'react'

export interface Appearance {
  readonly theme: 'system' | 'light' | 'dark'
  readonly density: 'comfortable' | 'compact'
  /** Shortcuts of a single letter, which people who speak to their computer need to switch off. */
  readonly shortcuts: boolean
}

const storage_key = 'atrium.appearance'
const ordinary: Appearance = { theme: 'system', density: 'comfortable', shortcuts: true }

let current = read()
const listeners = new Set<() => void>()

function read(): Appearance {
  try {
    const kept = JSON.parse(localStorage.getItem(storage_key) ?? '{}') as Partial<Appearance>
    return {
      theme: kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : 'system',
      density: kept.density === 'compact' ? 'compact' : 'comfortable',
      shortcuts: kept.shortcuts !== false,
    }
  } catch {
    return ordinary
  }
}

function show({ theme, density }: Appearance): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  if (density === 'compact') dataset.density = 'compact'
  else delete dataset.density
}

export function appearance(): Appearance {
  return current
}

export function setAppearance(change: Partial<Appearance>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(storage_key, JSON.stringify(current))
  } catch {
    // A browser that keeps nothing still shows it until the page is left.
  }
  show(current)
  for (const listener of listeners) listener()
}

/** Other tabs follow. */
addEventListener('storage', ({ key }) => {
  if (key !== storage_key) return
  current = read()
  show(current)
  for (const listener of listeners) listener()
})

export function useAppearance(): Appearance {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
