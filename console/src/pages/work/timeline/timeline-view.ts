/** The part of the timeline's axis that the window shows, and scrolling it. */
import { type RefObject, startTransition, useCallback, useLayoutEffect, useState } from 'react'
import type { Day } from '../calendar/days.ts'
import type { Bar } from './bars.ts'
import { dayX, type Scale } from './scale.ts'

/** The window moves by steps of this size, so that scrolling within one renders nothing. */
const step_px = 64

export interface AxisWindow {
  /** Pixels of the axis at the right edge of the names, and at the right edge of the frame. */
  readonly from: number
  readonly to: number
  readonly name_px: number
}

const no_window: AxisWindow = { from: 0, to: 0, name_px: 0 }

export function useAxisWindow(frame: RefObject<HTMLElement | null>, scale: Scale, at: Day) {
  const [shown, setShown] = useState(no_window)
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const measure = () => setShown((was) => measured(element, was))
    const onScroll = () => startTransition(measure)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [frame])
  // The day of the address stands a fifth of the way from the left.
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const width = element.clientWidth - nameWidth(element)
    element.scrollLeft = dayX(scale, at) - Math.floor(width / 5 / scale.day_px) * scale.day_px
  }, [frame, scale, at])
  const reveal = useCallback(
    ({ from, to }: Bar) => {
      const element = frame.current
      if (element === null) return
      const width = element.clientWidth - nameWidth(element)
      const [left, right] = [dayX(scale, from), dayX(scale, to) + scale.day_px]
      const isShown = left >= element.scrollLeft && right <= element.scrollLeft + width
      if (!isShown) element.scrollLeft = left - Math.min(width / 4, Math.max(0, width - (right - left)))
    },
    [frame, scale],
  )
  return { shown, reveal }
}

function nameWidth(element: HTMLElement): number {
  return element.querySelector<HTMLElement>('.gantt-corner')?.offsetWidth ?? 0
}

function measured(element: HTMLElement, was: AxisWindow): AxisWindow {
  const name_px = nameWidth(element)
  const width = Math.ceil((element.clientWidth - name_px) / step_px) * step_px
  const from = Math.round(element.scrollLeft / step_px) * step_px
  const isSame = was.from === from && was.to === from + width && was.name_px === name_px
  return isSame ? was : { from, to: from + width, name_px }
}
