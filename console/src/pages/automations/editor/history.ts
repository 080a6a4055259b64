/** A value with its earlier and later states: undo and redo. Changes of one kind that follow one another are one step. */
import { useCallback, useReducer } from 'react'

interface History<T> {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
  /** The kind of the last change; null after undo and redo. */
  readonly kind: string | null
}

type Action<T> =
  | { readonly do: 'change'; readonly change: (value: T) => T; readonly kind: string | null }
  | { readonly do: 'undo' }
  | { readonly do: 'redo' }
  | { readonly do: 'reset'; readonly value: T; readonly expected: T }

const steps_max = 200

export function reduceHistory<T>(history: History<T>, action: Action<T>): History<T> {
  const { past, present, future } = history
  if (action.do === 'reset')
    return present === action.expected ? { past: [], present: action.value, future: [], kind: null } : history
  if (action.do === 'undo') {
    const before = past.at(-1)
    return before === undefined
      ? history
      : { past: past.slice(0, -1), present: before, future: [present, ...future], kind: null }
  }
  if (action.do === 'redo') {
    const [after, ...later] = future
    return after === undefined ? history : { past: [...past, present], present: after, future: later, kind: null }
  }
  const next = action.change(present)
  if (next === present) return history
  const isSameStep = action.kind !== null && action.kind === history.kind
  return {
    past: isSameStep ? past : [...past, present].slice(-steps_max),
    present: next,
    future: [],
    kind: action.kind,
  }
}

export function useHistory<T>(first: T) {
  const [history, dispatch] = useReducer(reduceHistory<T>, { past: [], present: first, future: [], kind: null })
  /** Typing in one field has one `kind`, so that one undo takes it back. */
  const change = useCallback(
    (update: (value: T) => T, kind: string | null = null) => dispatch({ do: 'change', change: update, kind }),
    [],
  )
  const undo = useCallback(() => dispatch({ do: 'undo' }), [])
  const redo = useCallback(() => dispatch({ do: 'redo' }), [])
  /** Starts again from a value, unless the present one is no longer the expected one. */
  const reset = useCallback((value: T, expected: T) => dispatch({ do: 'reset', value, expected }), [])
  const { past, present, future } = history
  return { value: present, change, undo, redo, reset, canUndo: past.length > 0, canRedo: future.length > 0 }
}
