/** How much of the inbox is unread, for the navigation and the window's title. */
import { setTitleCount } from '../design/page-title.ts'
import { createStore, useStore } from '../lib/store.ts'

const unread = createStore(0)

export function setUnread(count: number): void {
  if (count === unread.get()) return
  unread.set(count)
  setTitleCount(count)
}

export function useUnread(): number {
  return useStore(unread)
}
