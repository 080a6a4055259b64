/** State that belongs into the URL: filters, the open panel, the tab. An empty value takes the parameter out. */
import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

type SetParam = (value: string | null) => void

/** One parameter of the query: `const [status, setStatus] = useUrlParam('status')`. */
export function useUrlParam(name: string): [string | null, SetParam]
export function useUrlParam(name: string, ordinary: string): [string, SetParam]
export function useUrlParam(name: string, ordinary: string | null = null): [string | null, SetParam] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const value = new URLSearchParams(search).get(name) ?? ordinary
  const set = useCallback<SetParam>(
    (next) => {
      // Of the page as it stands: two parameters may be set one after the other.
      const params = new URLSearchParams(location.search)
      if (next === null || next === '' || next === ordinary) params.delete(name)
      else params.set(name, next)
      const text = params.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace: true })
    },
    [path, navigate, name, ordinary],
  )
  return [value, set]
}
