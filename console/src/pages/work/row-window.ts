/**
 * Which rows of a long list are drawn. All rows are equally high, so the place of each is found by arithmetic, and a list
 * of a hundred thousand costs as much as one of a hundred.
 */
import { type RefObject, startTransition, useCallback, useLayoutEffect, useState } from 'react'

/** Rows that are drawn beyond either edge. */
const overscan = 6

export interface RowWindow {
  /** The first row that is drawn. */
  readonly first: number
  /** One behind the last. */
  readonly end: number
  /** Brings a row into sight, if it is not. */
  readonly reveal: (index: number) => void
}

/** The rows in sight of a frame that scrolls; `height` in pixels. */
export function useRowWindow(frame: RefObject<HTMLElement | null>, count: number, height: number): RowWindow {
  const [{ top, seen }, setSight] = useState({ top: 0, seen: 0 })
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    // In whole rows: scrolling within one draws nothing anew.
    const look = () => {
      const next = {
        top: Math.floor(element.scrollTop / height),
        seen: Math.ceil(element.clientHeight / height) + 1,
      }
      setSight((was) => (was.top === next.top && was.seen === next.seen ? was : next))
    }
    // The browser has scrolled already: rows come when there is time, and never hold up what somebody types.
    const follow = () => startTransition(look)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', follow, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', follow)
    }
  }, [frame, height])
  const reveal = useCallback(
    (index: number) => {
      const element = frame.current
      if (element === null) return
      const least = (index + 1) * height - element.clientHeight
      element.scrollTop = Math.max(least, Math.min(index * height, element.scrollTop))
    },
    [frame, height],
  )
  const first = Math.max(0, Math.min(top, count) - overscan)
  return { first, end: Math.min(count, top + seen + overscan), reveal }
}
