/** What happened because of an action, said for a few seconds: `toast({ text, undo })`, `toast({ error })`. */
import { useSyncExternalStore } from 'react'
import { told } from './errors.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly detail: string | null
  readonly tone: 'neutral' | 'good' | 'bad'
  readonly request_id: string | null
  /** Takes back what was done. */
  readonly undo: (() => Promise<unknown>) | null
  readonly action: { readonly label: string; readonly run: () => void } | null
}

type Said =
  | { readonly error: unknown }
  | {
      readonly text: string
      readonly detail?: string
      readonly tone?: 'neutral' | 'good'
      readonly undo?: () => Promise<unknown>
      readonly action?: { readonly label: string; readonly run: () => void }
    }

const shown_max = 4

let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

export function toast(said: Said): void {
  const empty = { id: ++count, detail: null, request_id: null, undo: null, action: null, tone: 'neutral' as const }
  const next: Toast = 'error' in said ? { ...empty, ...errorToast(said.error) } : { ...empty, ...said }
  // The same failure of several calls is said once.
  const others = toasts.filter((each) => each.tone !== 'bad' || each.text !== next.text || each.detail !== next.detail)
  set([...others, next].slice(-shown_max))
}

function errorToast(error: unknown) {
  const { title, text, request_id } = told(error)
  return { text: title, detail: text, tone: 'bad' as const, request_id }
}

export function dismiss(id: number): void {
  set(toasts.filter((each) => each.id !== id))
}

/** Takes back the last thing that can be. */
export function undoLast(): boolean {
  const last = toasts.findLast(({ undo }) => undo !== null)
  if (last === undefined) return false
  takeBack(last)
  return true
}

export function takeBack({ id, undo }: Toast): void {
  dismiss(id)
  undo?.().then(
    () => toast({ text: 'Undone' }),
    (error: unknown) => toast({ error }),
  )
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
}
