/**
 * State in the URL: filters, the open panel, the tab. An empty value removes the parameter. A choice is a step of the
 * browser's history, so Back undoes it; a text that is being typed replaces the current step.
 *
 * A panel is one step: opening it adds an entry, showing another object in it replaces that entry, and closing it goes back
 * to the entry behind it. After closing, Back does not open the panel a second time, and Forward does.
 */
import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

type SetParam = (value: string | null) => void
type Params = Readonly<Record<string, string | null>>

interface ParamOptions {
  /** The value is typed, so changes replace the history entry. */
  readonly typed?: boolean
}

/** Recorded in the history entries since a panel was opened. */
interface PanelState {
  /** The query of the entry before the panel. */
  readonly behind: string
  /** Entries since then. */
  readonly steps: number
}

/** One parameter of the query: `const [status, setStatus] = useUrlParam('status')`. */
export function useUrlParam(name: string): [string | null, SetParam]
export function useUrlParam(name: string, defaultValue: string, options?: ParamOptions): [string, SetParam]
export function useUrlParam(
  name: string,
  defaultValue: string | null = null,
  { typed = false }: ParamOptions = {},
): [string | null, SetParam] {
  const value = new URLSearchParams(useSearch()).get(name) ?? defaultValue
  const change = useUrlChange()
  const set = useCallback<SetParam>(
    (next) => change({ [name]: next === defaultValue ? null : next }, { typed }),
    [change, name, defaultValue, typed],
  )
  return [value, set]
}

/** Changes several parameters in one step. A change to the current values is no step. */
export function useUrlChange() {
  const [path, navigate] = useLocation()
  return useCallback(
    (params: Params, { typed = false }: ParamOptions = {}) => {
      const { search } = location
      const next = changedSearch(search, params)
      if (next === normalized(search)) return
      const panel = panelState()
      const state = panel && { panel: { behind: panel.behind, steps: panel.steps + (typed ? 0 : 1) } }
      navigate(`${path}${next}`, { replace: typed, state })
    },
    [path, navigate],
  )
}

/**
 * The object that a panel shows: its parameter, and functions that open and close the panel. `inner` are parameters of the
 * panel's content, which are removed with it.
 */
export function useUrlPanel(name: string, inner: readonly string[] = []) {
  const [path, navigate] = useLocation()
  const value = new URLSearchParams(useSearch()).get(name)
  const open = useCallback(
    (next: string) => {
      const { search } = location
      const isOpen = new URLSearchParams(search).has(name)
      const state = isOpen ? history.state : { panel: { behind: normalized(search), steps: 1 } satisfies PanelState }
      navigate(`${path}${changedSearch(search, { [name]: next })}`, { replace: isOpen, state })
    },
    [path, navigate, name],
  )
  const close = useCallback(() => {
    const gone = Object.fromEntries([name, ...inner].map((each) => [each, null]))
    const target = changedSearch(location.search, gone)
    const panel = panelState()
    if (panel?.behind === target) history.go(-panel.steps)
    else navigate(`${path}${target}`, { replace: true })
  }, [path, navigate, name, inner])
  return { value, open, close }
}

function panelState(): PanelState | null {
  // The state of an entry is what this file stored, or anything that another script stored.
  const state = history.state as { readonly panel?: PanelState } | null
  return state?.panel ?? null
}

function changedSearch(search: string, changes: Params): string {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') params.delete(name)
    else params.set(name, value)
  }
  return normalized(params.toString())
}

function normalized(search: string): string {
  const text = new URLSearchParams(search).toString()
  return text === '' ? '' : `?${text}`
}
