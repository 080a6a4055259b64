/**
 * Drags elements by pointer: a mouse as soon as it moves, a finger after a long press, so that it can still scroll. HTML's own
 * drag and drop does not exist for fingers, and ends when the dragged element leaves the page, as rows of a long list do.
 *
 * While an element is dragged, a copy follows the pointer, and the surface shows the place and scrolls at its edges.
 * Nothing is rendered by React until it is dropped. Escape, a lost window and a second finger cancel.
 */
import './pointer-drag.css'
import { useEffect, useRef } from 'react'

/** A mouse that moves farther drags. */
const slop_px = 4
/** A finger that moves farther before the long press is over scrolls. */
const touch_slop_px = 10
const press_ms = 300
/** The edge of a frame that scrolls it, and the fastest scroll per frame. */
const edge_px = 56
const scroll_px_max = 18

export interface Point {
  readonly x: number
  readonly y: number
}

/** Where elements with `data-card` can be dropped. */
export interface DropSurface<Place> {
  /** Called with each frame: shows the place under the pointer and returns it, or null outside of all places. */
  readonly show: (root: HTMLElement, at: Point, id: string) => Place | null
  /** Removes what `show` has shown. */
  readonly clear: (root: HTMLElement) => void
  /** Scrolls frames whose edges the pointer is near. */
  readonly scroll: (root: HTMLElement, at: Point) => void
}

export interface DragHandlers<Place> {
  readonly onStart: (id: string) => void
  readonly onEnd: () => void
  readonly onDrop: (id: string, place: Place) => void
}

interface Drag {
  readonly card: HTMLElement
  readonly id: string
  readonly pointer: number
  readonly isTouch: boolean
  readonly from: Point
  at: Point
  /** Null until the element is picked up. */
  copy: HTMLElement | null
  press: ReturnType<typeof setTimeout> | undefined
  frame: number
}

/** Makes the elements with `data-card` in `root` draggable. */
export function usePointerDrag<Place>(
  root: HTMLElement | null,
  isEnabled: boolean,
  surface: DropSurface<Place>,
  handlers: DragHandlers<Place>,
): void {
  const latest = useRef(handlers)
  latest.current = handlers
  useEffect(() => {
    if (root === null || !isEnabled) return
    return listen(new Dragging(root, surface, latest), root)
  }, [root, isEnabled, surface])
}

function listen<Place>(dragging: Dragging<Place>, root: HTMLElement): () => void {
  root.addEventListener('pointerdown', dragging.onDown)
  // It has to be there before the finger touches, or the browser scrolls without asking.
  root.addEventListener('touchmove', dragging.onTouchMove, { passive: false })
  return () => {
    dragging.end(false)
    root.removeEventListener('pointerdown', dragging.onDown)
    root.removeEventListener('touchmove', dragging.onTouchMove)
  }
}

class Dragging<Place> {
  readonly #root: HTMLElement
  readonly #surface: DropSurface<Place>
  readonly #handlers: { readonly current: DragHandlers<Place> }
  #drag: Drag | null = null
  /** Stops listening while nothing is dragged. */
  #stop = new AbortController()

  constructor(root: HTMLElement, surface: DropSurface<Place>, handlers: { readonly current: DragHandlers<Place> }) {
    this.#root = root
    this.#surface = surface
    this.#handlers = handlers
  }

  readonly onDown = (event: PointerEvent): void => {
    const target = event.target as HTMLElement
    const card = target.closest<HTMLElement>('[data-card]')
    const isOther = target.closest('button, input, textarea, [role="menu"]') !== null
    if (this.#drag !== null || card === null || isOther || event.button !== 0 || event.ctrlKey || event.metaKey) return
    const isTouch = event.pointerType !== 'mouse'
    const from = { x: event.clientX, y: event.clientY }
    this.#drag = {
      ...{ card, id: card.dataset.card ?? '', pointer: event.pointerId, isTouch, from, at: from },
      ...{ copy: null, frame: 0 },
      press: isTouch ? setTimeout(this.#pickUp, press_ms) : undefined,
    }
    this.#listen()
  }

  readonly onTouchMove = (event: TouchEvent): void => {
    if (event.touches.length > 1) this.end(false)
    else if (this.#drag?.copy) event.preventDefault()
  }

  end(isDropped: boolean): void {
    const drag = this.#drag
    if (drag === null) return
    this.#drag = null
    this.#stop.abort()
    clearTimeout(drag.press)
    cancelAnimationFrame(drag.frame)
    if (drag.copy === null) return
    const place = isDropped ? this.#surface.show(this.#root, drag.at, drag.id) : null
    this.#surface.clear(this.#root)
    putDown(drag)
    suppressClick()
    if (place !== null) this.#handlers.current.onDrop(drag.id, place)
    this.#handlers.current.onEnd()
  }

  #listen(): void {
    this.#stop = new AbortController()
    const { signal } = this.#stop
    addEventListener('pointermove', this.#onMove, { signal })
    addEventListener('pointerup', (event) => event.pointerId === this.#drag?.pointer && this.end(true), { signal })
    addEventListener('pointercancel', () => this.end(false), { signal })
    addEventListener('blur', () => this.end(false), { signal })
    addEventListener('keydown', this.#onKeyDown, { signal, capture: true })
    // A long press would open the link's menu.
    addEventListener('contextmenu', (event) => this.#drag?.isTouch && event.preventDefault(), { signal })
  }

  readonly #pickUp = (): void => {
    const drag = this.#drag
    if (drag === null) return
    drag.copy = pickUp(drag)
    this.#handlers.current.onStart(drag.id)
    const step = () => {
      this.#surface.scroll(this.#root, drag.at)
      this.#surface.show(this.#root, drag.at, drag.id)
      drag.frame = requestAnimationFrame(step)
    }
    step()
  }

  readonly #onMove = (event: PointerEvent): void => {
    const drag = this.#drag
    if (drag === null || event.pointerId !== drag.pointer) return
    drag.at = { x: event.clientX, y: event.clientY }
    const distance = Math.hypot(drag.at.x - drag.from.x, drag.at.y - drag.from.y)
    if (drag.copy === null) {
      if (drag.isTouch && distance > touch_slop_px) this.end(false)
      else if (!drag.isTouch && distance > slop_px) this.#pickUp()
    }
    follow(drag)
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.#drag?.copy) return
    event.preventDefault()
    event.stopPropagation()
    this.end(false)
  }
}

/** The copy that follows the pointer. */
function pickUp({ card, from }: Drag): HTMLElement {
  const box = card.getBoundingClientRect()
  const copy = card.cloneNode(true) as HTMLElement
  for (const name of ['data-card', 'data-index', 'style', 'aria-posinset', 'aria-setsize']) copy.removeAttribute(name)
  copy.classList.add('drag-copy')
  copy.setAttribute('aria-hidden', 'true')
  copy.inert = true
  Object.assign(copy.style, { width: `${box.width}px`, left: `${box.left}px`, top: `${box.top}px` })
  copy.style.transformOrigin = `${from.x - box.left}px ${from.y - box.top}px`
  document.body.append(copy)
  card.dataset.dragged = ''
  document.documentElement.dataset.dragging = ''
  return copy
}

function follow({ copy, at, from }: Drag): void {
  if (copy !== null) copy.style.transform = `translate(${at.x - from.x}px, ${at.y - from.y}px) rotate(1.5deg)`
}

function putDown({ card, copy }: Drag): void {
  copy?.remove()
  delete document.documentElement.dataset.dragging
  delete card.dataset.dragged
}

/** The click that a browser makes of the end of a drag would open the card. */
function suppressClick(): void {
  const onClick = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', onClick, true)
  setTimeout(() => removeEventListener('click', onClick, true))
}

/** Scrolls an element down or up while the pointer is near its upper or lower edge. */
export function scrollBeside(frame: HTMLElement, { y }: Point): void {
  const { top, bottom } = frame.getBoundingClientRect()
  frame.scrollTop += speed(y, top, bottom)
}

/** Scrolls an element sideways while the pointer is near its left or right edge. */
export function scrollAlong(frame: HTMLElement, { x }: Point): void {
  const { left, right } = frame.getBoundingClientRect()
  frame.scrollLeft += speed(x, left, right)
}

/** Pixels per frame: faster the nearer the pointer is to an edge. */
function speed(at: number, low: number, high: number): number {
  const near = Math.min(edge_px, (high - low) / 4)
  if (at < low + near) return -Math.min(1, (low + near - at) / near) * scroll_px_max
  return at > high - near ? Math.min(1, (at - high + near) / near) * scroll_px_max : 0
}
