/** The title of the window. It is also what a screen reader is told when the page changes. */
import { useEffect } from 'react'

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Atrium`
  }, [title])
}
