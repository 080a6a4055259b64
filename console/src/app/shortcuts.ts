/**
 * Keyboard shortcuts: `useShortcut('g t', 'Go to tasks', go)`. Keys without a modifier are ignored while the user types,
 * and single characters can be switched off. While a dialog is open, the page's shortcuts are inactive.
 */
import { useEffect, useRef } from 'react'
import { appearance } from '../design/appearance.ts'
import { keyDepth, useKeyDepth } from '../design/key-layer.tsx'
import { t } from '../language/index.ts'

export interface Shortcut {
  /** Chords separated by spaces: `mod+k`, `g t`, `shift+x`, `?`. */
  readonly keys: string
  readonly title: string
  readonly group: string
  readonly depth: number
  /** False: the key is not used here, and an earlier registration gets it. */
  readonly run: (event: KeyboardEvent) => unknown
}

const chord_ms = 1000

const shortcuts = new Set<Shortcut>()
/** Keys that met nothing while parts of the page were still loading, for the shortcut that is registered next. */
let missed: { readonly chord: string; readonly at: number; readonly event: KeyboardEvent } | null = null
const missed_ms = 3000
let isComplete = false

/** All parts that are on every page are loaded: a key that meets nothing is meant for nothing. */
export function completeShortcuts(): void {
  isComplete = true
}

let pressed: string[] = []
let pressed_at = 0

interface ShortcutOptions {
  /** The heading in the list of shortcuts. */
  readonly group?: string
  readonly enabled?: boolean
}

export function useShortcut(
  keys: string,
  title: string,
  run: (event: KeyboardEvent) => unknown,
  { group = t('This page'), enabled = true }: ShortcutOptions = {},
): void {
  const depth = useKeyDepth()
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!enabled) return
    const shortcut: Shortcut = { keys, title, group, depth, run: (event) => latest.current(event) }
    shortcuts.add(shortcut)
    runIfMissed(shortcut)
    return () => {
      shortcuts.delete(shortcut)
    }
  }, [keys, title, group, depth, enabled])
}

/** The shortcuts of the page, for the list of shortcuts. */
export function knownShortcuts(): readonly Shortcut[] {
  return [...shortcuts].filter(({ depth }) => depth === 0)
}

function runIfMissed({ keys, depth, run }: Shortcut): void {
  if (missed?.chord !== keys || depth !== keyDepth()) return
  const { at, event } = missed
  missed = null
  if (Date.now() - at < missed_ms) run(event)
}

function chordOf(event: KeyboardEvent): string {
  const parts: string[] = []
  if (event.metaKey || event.ctrlKey) parts.push('mod')
  if (event.altKey) parts.push('alt')
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  // Characters such as ? and # already imply Shift.
  if (event.shiftKey && (key.length > 1 || /[a-z]/.test(key))) parts.push('shift')
  return [...parts, key].join('+')
}

const own_letters = '[role="menu"],[role="listbox"],[role="application"]'

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
  // In a text, these keys select, undo and delete text.
  const isForText = isPlain || /^mod\+(?:a|z|backspace|delete)$/.test(chord)
  if (isForText && isTyping(event.target)) return
  // In menus and lists, letters select items; a canvas has letters of its own.
  if (isForText && event.target instanceof Element && event.target.closest(own_letters)) return
  if (isPlain && chord.length === 1 && !appearance().shortcuts) return
  pressed = Date.now() - pressed_at < chord_ms ? [...pressed.slice(-1), chord] : [chord]
  pressed_at = Date.now()
  const depth = keyDepth()
  // The latest registration wins: a panel overrides its page.
  const active = [...shortcuts].reverse().filter((shortcut) => shortcut.depth === depth)
  const sequence = pressed.join(' ')
  const matches = [
    ...active.filter(({ keys }) => keys === sequence),
    ...active.filter(({ keys }) => keys === chord && chord !== sequence),
  ]
  const startsSequence = pressed.length === 1 && active.some(({ keys }) => keys.startsWith(`${chord} `))
  for (const match of matches) {
    if (startsSequence && match.keys === chord) return
    if (match.run(event) === false) continue
    pressed = []
    event.preventDefault()
    return
  }
  missed = isComplete ? null : { chord, at: Date.now(), event }
}

addEventListener('keydown', onKeyDown)
