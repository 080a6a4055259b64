/** Sets the window's title, which screen readers announce when the page changes. */
import { useEffect } from 'react'

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Atrium`
  }, [title])
}
