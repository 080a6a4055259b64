/**
 * The mode: live or test data. It is in the URL (`?mode=test`), so a shared link shows the same data, and every
 * navigation inside the console keeps it.
 */
import { useSearch } from 'wouter'
import type { Mode } from './shapes.ts'

export function modeOf(search: string): Mode {
  return new URLSearchParams(search).get('mode') === 'test' ? 'test' : 'live'
}

export function useMode(): Mode {
  return modeOf(useSearch())
}

/** The page's mode, for code outside components. */
export function currentMode(): Mode {
  return modeOf(location.search)
}

/** Adds the mode to a path, unless the path names one. */
export function withMode(to: string, mode: Mode): string {
  return mode === 'live' ? to : withParam(to, 'mode', mode)
}

/** Adds a parameter to the query of a path, unless it is there. */
export function withParam(to: string, name: string, value: string): string {
  const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(to) ?? []
  if (new URLSearchParams(search).has(name)) return to
  return `${path}${search === '' ? '?' : `${search}&`}${name}=${value}${hash}`
}
