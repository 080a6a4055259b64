/**
 * Live or test data. It stands in the URL (`?mode=test`), so that a link that is passed on shows the same; every
 * navigation inside the console carries it on.
 */
import { useSearch } from 'wouter'
import type { Mode } from './shapes.ts'

export function modeOf(search: string): Mode {
  return new URLSearchParams(search).get('mode') === 'test' ? 'test' : 'live'
}

export function useMode(): Mode {
  return modeOf(useSearch())
}

/** The mode of the page as it stands, outside of components. */
export function currentMode(): Mode {
  return modeOf(location.search)
}

/** A path that keeps the mode; one that names a mode itself stays as it is. */
export function withMode(to: string, mode: Mode): string {
  if (mode === 'live' || /[?&]mode=/.test(to)) return to
  const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(to) ?? []
  return `${path}${search === '' ? '?' : `${search}&`}mode=${mode}${hash}`
}
