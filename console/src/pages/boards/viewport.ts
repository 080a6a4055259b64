/** The visible part of the canvas: zoomed by wheel, pinch or keys, moved by dragging or arrow keys. */
import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { Box, Point } from './scene.ts'

/** The canvas point at the upper left corner, and pixels per canvas unit. */
interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

interface Size {
  readonly width: number
  readonly height: number
}

const zoom_min = 0.02
const zoom_max = 8
/** A small drawing is not enlarged further to fit. */
const fit_zoom_max = 1.5
const fit_margin_px = 32
/** Shorter movements are clicks. */
const drag_px = 4
const wheel_speed = 0.0016

export interface Viewport {
  readonly view: View
  readonly zoomBy: (factor: number) => void
  readonly moveBy: (dx: number, dy: number) => void
  readonly fit: () => void
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerUp: (event: PointerEvent) => void
    readonly onPointerCancel: (event: PointerEvent) => void
    readonly onClickCapture: (event: { preventDefault(): void; stopPropagation(): void }) => void
  }
}

/** The view that shows the whole drawing, centred. */
function fitView(bounds: Box | null, { width, height }: Size): View {
  if (bounds === null || width === 0 || height === 0) return { x: 0, y: 0, zoom: 1 }
  const room = { width: Math.max(1, width - 2 * fit_margin_px), height: Math.max(1, height - 2 * fit_margin_px) }
  const share = Math.min(room.width / Math.max(1, bounds.width), room.height / Math.max(1, bounds.height))
  const zoom = Math.min(fit_zoom_max, Math.max(zoom_min, share))
  return {
    x: bounds.left + bounds.width / 2 - width / 2 / zoom,
    y: bounds.top + bounds.height / 2 - height / 2 / zoom,
    zoom,
  }
}

/** Zooms around `at`, in pixels of the view: the canvas point there does not move. */
function zoomView(view: View, factor: number, at: Point): View {
  const zoom = Math.min(zoom_max, Math.max(zoom_min, view.zoom * factor))
  return { x: view.x + at.x / view.zoom - at.x / zoom, y: view.y + at.y / view.zoom - at.y / zoom, zoom }
}

export function useViewport(frame: RefObject<HTMLElement | null>, bounds: Box | null): Viewport {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  /** Null until the person moves or zooms: the drawing then fits the frame at any size. */
  const [chosen, setChosen] = useState<View | null>(null)
  const view = chosen ?? fitView(bounds, size)
  const latest = useRef(view)
  latest.current = view
  const change = useCallback((next: (view: View) => View) => {
    latest.current = next(latest.current)
    setChosen(latest.current)
  }, [])
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  useWheel(frame, change)
  const handlers = useDragging(frame, change)
  return {
    view,
    zoomBy: (factor) => change((was) => zoomView(was, factor, { x: size.width / 2, y: size.height / 2 })),
    moveBy: (dx, dy) => change((was) => ({ ...was, x: was.x + dx / was.zoom, y: was.y + dy / was.zoom })),
    fit: () => setChosen(null),
    handlers,
  }
}

type ChangeView = (next: (view: View) => View) => void

/** A native listener, because React's wheel listeners are passive and cannot stop the page from scrolling. */
function useWheel(frame: RefObject<HTMLElement | null>, change: ChangeView): void {
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16
      const at = pointIn(element, event)
      if (event.shiftKey) change((was) => ({ ...was, x: was.x + ((event.deltaX || event.deltaY) * unit) / was.zoom }))
      // A pinch on a touchpad arrives as a wheel event with the control key, in small steps.
      else change((was) => zoomView(was, Math.exp(-event.deltaY * unit * wheel_speed * (event.ctrlKey ? 6 : 1)), at))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [frame, change])
}

function pointIn(element: HTMLElement, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { left, top } = element.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}

/** One pointer drags, two pointers zoom. */
function useDragging(frame: RefObject<HTMLElement | null>, change: ChangeView): Viewport['handlers'] {
  const pointers = useRef(new Map<number, Point>())
  const distance = useRef(0)
  const release = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId)
  }
  return {
    onPointerDown(event) {
      const element = frame.current
      if (element === null || event.button !== 0) return
      if (pointers.current.size === 0) distance.current = 0
      pointers.current.set(event.pointerId, pointIn(element, event))
    },
    onPointerMove(event) {
      const element = frame.current
      const from = pointers.current.get(event.pointerId)
      if (element === null || from === undefined) return
      const to = pointIn(element, event)
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
      distance.current += Math.hypot(to.x - from.x, to.y - from.y)
      pointers.current.set(event.pointerId, to)
      if (distance.current > drag_px) element.setPointerCapture(event.pointerId)
      change((was) => dragView(was, from, to, other))
    },
    onPointerUp: release,
    onPointerCancel: release,
    /** Dragging a link does not open it. */
    onClickCapture(event) {
      if (distance.current <= drag_px) return
      event.preventDefault()
      event.stopPropagation()
      distance.current = 0
    },
  }
}

function dragView(was: View, from: Point, to: Point, other: Point | undefined): View {
  if (other === undefined) {
    return { ...was, x: was.x - (to.x - from.x) / was.zoom, y: was.y - (to.y - from.y) / was.zoom }
  }
  const before = Math.hypot(from.x - other.x, from.y - other.y)
  const now = Math.hypot(to.x - other.x, to.y - other.y)
  return before < 1 ? was : zoomView(was, now / before, { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 })
}
