/** The active option of a list whose focus stays in an input: arrow and page keys move it, Enter takes it. */
import { type KeyboardEvent, useState } from 'react'

/** Options that Page Up and Page Down move. */
const page_size = 8

interface ActiveIndex {
  /** -1 if the list is empty. */
  readonly active: number
  readonly setActive: (index: number) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

export function useActiveIndex(count: number, onEnter: (index: number) => void): ActiveIndex {
  const [index, setIndex] = useState(0)
  const active = Math.min(index, count - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexAfter(event.key, active, count)
    if (next !== null) setIndex(next)
    else if (event.key === 'Enter' && count > 0) onEnter(active)
    else return
    event.preventDefault()
  }
  return { active, setActive: setIndex, onKeyDown }
}

/** The index after a key press; `null` if the key does not move. */
function indexAfter(key: string, index: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (index + 1) % count
  if (key === 'ArrowUp') return (index - 1 + count) % count
  if (key === 'PageDown') return Math.min(count - 1, index + page_size)
  if (key === 'PageUp') return Math.max(0, index - page_size)
  return null
}
