/**
 * The window of rows that a long list renders. All rows have the same height, so positions are computed, and a list of a
 * hundred thousand rows costs as much as one of a hundred.
 */
import { type RefObject, startTransition, useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows rendered beyond either edge. */
const overscan = 3
/** Rows that are printed, of those that are read. */
const printed_max = 2000

export interface RowWindow {
  /** The first rendered row. */
  readonly first: number
  /** The row after the last rendered one. */
  readonly end: number
  /** Scrolls a row into view. */
  readonly reveal: (index: number) => void
}

/** The window of a scrolling frame; `height` of a row is in pixels. */
export function useRowWindow(frame: RefObject<HTMLElement | null>, count: number, height: number): RowWindow {
  const [{ top, visible }, setWindow] = useState({ top: 0, visible: 0 })
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    // In whole rows, so that scrolling within a row renders nothing.
    const measure = () => {
      const next = {
        top: Math.floor(element.scrollTop / height),
        visible: Math.ceil(element.clientHeight / height) + 1,
      }
      setWindow((was) => (was.top === next.top && was.visible === next.visible ? was : next))
    }
    // A transition, so that rendering rows does not delay typing.
    const onScroll = () => startTransition(measure)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [frame, height])
  const reveal = useCallback(
    (index: number) => {
      const element = frame.current
      if (element === null) return
      const lowest = (index + 1) * height - element.clientHeight
      element.scrollTop = Math.max(lowest, Math.min(index * height, element.scrollTop))
    },
    [frame, height],
  )
  const isPrinted = usePrinting()
  if (isPrinted) return { first: 0, end: Math.min(count, printed_max), reveal }
  const first = Math.max(0, Math.min(top, count) - overscan)
  return { first, end: Math.min(count, top + visible + overscan), reveal }
}

/** Whether the page is being printed. The browser waits for what is rendered in the event before it. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
