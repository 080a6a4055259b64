/** Sets the window's title, which screen readers announce when the page changes. A number before it says what is unread. */
import { useEffect } from 'react'

let title = ''
let count = 0

function show(): void {
  if (title !== '') document.title = count === 0 ? title : `(${count}) ${title}`
}

export function usePageTitle(name: string): void {
  useEffect(() => {
    title = `${name} · Atrium`
    show()
  }, [name])
}

export function setTitleCount(unread: number): void {
  count = unread
  show()
}
