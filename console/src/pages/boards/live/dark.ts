import { useSyncExternalStore } from 'react'
import { useAppearance } from '../../../design/index.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Whether the console is shown in dark colours. */
export function useIsDark(): boolean {
  const { theme } = useAppearance()
  const prefersDark = useSyncExternalStore(follow, () => dark.matches)
  return theme === 'system' ? prefersDark : theme === 'dark'
}

function follow(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}
