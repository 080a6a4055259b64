import { useEffect } from 'react'

/** Keys that the page uses itself. An action on tasks with the same key leaves it to the page. */
export const pageKeys = new Set<string>()

export function usePageKey(key: string): void {
  useEffect(() => {
    pageKeys.add(key)
    return () => {
      pageKeys.delete(key)
    }
  }, [key])
}
