/** Notifications about the result of an action: `toast({ text, undo })`, `toast({ error })`. */

import { t } from '../language/index.ts'
import { createStore, useStore } from '../lib/store.ts'
import { describeError } from './errors.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly detail: string | null
  readonly tone: 'neutral' | 'good' | 'bad'
  readonly request_id: string | null
  /** Reverts the action. */
  readonly undo: (() => Promise<unknown>) | null
  readonly action: { readonly label: string; readonly run: () => void } | null
}

type ToastInput =
  | { readonly error: unknown }
  | {
      readonly text: string
      readonly detail?: string
      readonly tone?: 'neutral' | 'good'
      readonly undo?: () => Promise<unknown>
      readonly action?: { readonly label: string; readonly run: () => void }
    }

const shown_max = 4

const toasts = createStore<readonly Toast[]>([])
let count = 0

export function toast(input: ToastInput): void {
  const empty = { id: ++count, detail: null, request_id: null, undo: null, action: null, tone: 'neutral' as const }
  const next: Toast = 'error' in input ? { ...empty, ...errorToast(input.error) } : { ...empty, ...input }
  // The same error of several calls is shown once.
  const isRepeated = ({ tone, text, detail }: Toast) => tone === 'bad' && text === next.text && detail === next.detail
  toasts.set([...toasts.get().filter((each) => !isRepeated(each)), next].slice(-shown_max))
}

function errorToast(error: unknown) {
  const { title, text, request_id } = describeError(error)
  return { text: title, detail: text, tone: 'bad' as const, request_id }
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id))
}

/** Undoes the latest action that can be undone. */
export function undoLast(): boolean {
  const last = toasts.get().findLast(({ undo }) => undo !== null)
  if (last === undefined) return false
  undoToast(last)
  return true
}

export function undoToast({ id, undo }: Toast): void {
  dismiss(id)
  undo?.().then(
    () => toast({ text: t('Undone') }),
    (error: unknown) => toast({ error }),
  )
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts)
}
