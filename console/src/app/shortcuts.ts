/**
 * Keys that do something: `useShortcut('g t', 'Go to tasks', go)`. Letters are silent while somebody types, and can be
 * switched off; keys of the page are silent while a dialog is open.
 */
import { useEffect, useRef } from 'react'
import { appearance } from '../design/appearance.ts'
import { keyDepth, useKeyDepth } from '../design/key-layer.tsx'

export interface Shortcut {
  /** Chords with a space between: `mod+k`, `g t`, `shift+x`, `?`. */
  readonly keys: string
  readonly title: string
  readonly group: string
  readonly depth: number
  readonly run: (event: KeyboardEvent) => void
}

const chord_ms = 1000

const shortcuts = new Set<Shortcut>()
let pressed: string[] = []
let pressed_at = 0

interface ShortcutOptions {
  /** What it is listed under. */
  readonly group?: string
  readonly enabled?: boolean
}

export function useShortcut(
  keys: string,
  title: string,
  run: (event: KeyboardEvent) => void,
  { group = 'This page', enabled = true }: ShortcutOptions = {},
): void {
  const depth = useKeyDepth()
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!enabled) return
    const shortcut: Shortcut = { keys, title, group, depth, run: (event) => latest.current(event) }
    shortcuts.add(shortcut)
    return () => {
      shortcuts.delete(shortcut)
    }
  }, [keys, title, group, depth, enabled])
}

/** Those that work now, for the list of them. */
export function knownShortcuts(): readonly Shortcut[] {
  return [...shortcuts].filter(({ depth }) => depth === 0)
}

function chordOf(event: KeyboardEvent): string {
  const parts: string[] = []
  if (event.metaKey || event.ctrlKey) parts.push('mod')
  if (event.altKey) parts.push('alt')
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  // Of signs (?, #) the shift key is part already.
  if (event.shiftKey && (key.length > 1 || /[a-z]/.test(key))) parts.push('shift')
  return [...parts, key].join('+')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|range|color)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.repeat) return
  if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return
  const chord = chordOf(event)
  const isPlain = !/^(mod|alt)\+/.test(chord)
  if (isPlain && isTyping(event.target)) return
  // In a menu letters choose its items.
  if (isPlain && event.target instanceof Element && event.target.closest('[role="menu"],[role="listbox"]')) return
  if (isPlain && chord.length === 1 && !appearance().shortcuts) return
  pressed = Date.now() - pressed_at < chord_ms ? [...pressed.slice(-1), chord] : [chord]
  pressed_at = Date.now()
  const depth = keyDepth()
  // The newest wins: what a panel registers stands over what its page did.
  const here = [...shortcuts].reverse().filter((shortcut) => shortcut.depth === depth)
  const found = here.find(({ keys }) => keys === pressed.join(' ')) ?? here.find(({ keys }) => keys === chord)
  if (found === undefined) return
  const begins = pressed.length === 1 && here.some(({ keys }) => keys.startsWith(`${chord} `))
  if (begins && found.keys === chord) return
  pressed = []
  event.preventDefault()
  found.run(event)
}

addEventListener('keydown', onKeyDown)
