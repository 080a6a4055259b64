/** State in the URL: filters, the open panel, the tab. An empty value removes the parameter. */
import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

type SetParam = (value: string | null) => void

/** One parameter of the query: `const [status, setStatus] = useUrlParam('status')`. */
export function useUrlParam(name: string): [string | null, SetParam]
export function useUrlParam(name: string, defaultValue: string): [string, SetParam]
export function useUrlParam(name: string, defaultValue: string | null = null): [string | null, SetParam] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const value = new URLSearchParams(search).get(name) ?? defaultValue
  const set = useCallback<SetParam>(
    (next) => {
      // Read at call time, because two parameters may be set in a row.
      const params = new URLSearchParams(location.search)
      if (next === null || next === '' || next === defaultValue) params.delete(name)
      else params.set(name, next)
      const text = params.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace: true })
    },
    [path, navigate, name, defaultValue],
  )
  return [value, set]
}
