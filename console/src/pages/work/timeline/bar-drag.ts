/**
 * Drags bars by pointer, by whole days: a mouse as soon as it moves, a finger after a long press, so that it can still scroll.
 * The grips at the ends and the dot that draws a dependency need no long press: nothing scrolls there.
 */
import { useEffect, useRef } from 'react'
import { type Point, scrollAlong, scrollBeside } from '../pointer-drag.ts'

const slop_px = 4
const touch_slop_px = 10
const press_ms = 300

/** `plan`: an empty row becomes a bar. `link`: a dependency is drawn. */
type Grip = 'whole' | 'start' | 'due' | 'link' | 'plan'

export interface BarDrag {
  readonly grip: Grip
  /** The id of the task. */
  readonly task: string
  /** Days from the place where the drag began. */
  readonly days: number
  /** Where it began and is now, in pixels of the window. */
  readonly from: Point
  readonly at: Point
}

interface Handlers {
  readonly onChange: (drag: BarDrag | null) => void
  readonly onDrop: (drag: BarDrag) => void
}

/** Makes what has `data-grip` inside of an element with `data-task` draggable. */
export function useBarDrag(root: HTMLElement | null, day_px: number, handlers: Handlers): void {
  const latest = useRef({ day_px, handlers })
  latest.current = { day_px, handlers }
  useEffect(() => {
    if (root === null) return
    const dragging = new Dragging(root, latest)
    root.addEventListener('pointerdown', dragging.onDown)
    root.addEventListener('touchmove', dragging.onTouchMove, { passive: false })
    return () => {
      dragging.end(false)
      root.removeEventListener('pointerdown', dragging.onDown)
      root.removeEventListener('touchmove', dragging.onTouchMove)
    }
  }, [root])
}

interface Held {
  readonly grip: Grip
  readonly task: string
  readonly pointer: number
  readonly isTouch: boolean
  readonly from: Point
  readonly scrolled: number
  at: Point
  isPickedUp: boolean
  press: ReturnType<typeof setTimeout> | undefined
  frame: number
}

interface Latest {
  readonly current: { readonly day_px: number; readonly handlers: Handlers }
}

class Dragging {
  readonly #root: HTMLElement
  readonly #latest: Latest
  #held: Held | null = null
  #stop = new AbortController()
  #shown = ''

  constructor(root: HTMLElement, latest: Latest) {
    this.#root = root
    this.#latest = latest
  }

  readonly onDown = (event: PointerEvent): void => {
    const grip = (event.target as HTMLElement).closest<HTMLElement>('[data-grip]')
    const task = grip?.closest<HTMLElement>('[data-task]')?.dataset.task
    if (this.#held !== null || !grip || task === undefined || event.button !== 0 || event.ctrlKey || event.metaKey)
      return
    const name = grip.dataset.grip as Grip
    const isTouch = event.pointerType !== 'mouse'
    const from = { x: event.clientX, y: event.clientY }
    const waits = isTouch && (name === 'whole' || name === 'plan')
    this.#held = {
      ...{ grip: name, task, pointer: event.pointerId, isTouch, from, at: from },
      ...{ scrolled: this.#root.scrollLeft, isPickedUp: false, frame: 0 },
      press: waits ? setTimeout(this.#pickUp, press_ms) : undefined,
    }
    if (isTouch && !waits) this.#pickUp()
    this.#listen()
  }

  readonly onTouchMove = (event: TouchEvent): void => {
    if (event.touches.length > 1) this.end(false)
    else if (this.#held?.isPickedUp) event.preventDefault()
  }

  end(isDropped: boolean): void {
    const held = this.#held
    if (held === null) return
    this.#held = null
    this.#shown = ''
    this.#stop.abort()
    clearTimeout(held.press)
    cancelAnimationFrame(held.frame)
    if (!held.isPickedUp) return
    delete document.documentElement.dataset.dragging
    suppressClick()
    const { handlers } = this.#latest.current
    if (isDropped) handlers.onDrop(this.#drag(held))
    handlers.onChange(null)
  }

  #drag({ grip, task, from, at, scrolled }: Held): BarDrag {
    const moved = at.x - from.x + this.#root.scrollLeft - scrolled
    return { grip, task, from, at, days: Math.round(moved / this.#latest.current.day_px) }
  }

  #listen(): void {
    this.#stop = new AbortController()
    const { signal } = this.#stop
    addEventListener('pointermove', this.#onMove, { signal })
    addEventListener('pointerup', (event) => event.pointerId === this.#held?.pointer && this.end(true), { signal })
    addEventListener('pointercancel', () => this.end(false), { signal })
    addEventListener('blur', () => this.end(false), { signal })
    addEventListener('keydown', this.#onKeyDown, { signal, capture: true })
    addEventListener('contextmenu', (event) => this.#held?.isTouch && event.preventDefault(), { signal })
  }

  readonly #pickUp = (): void => {
    const held = this.#held
    if (held === null) return
    held.isPickedUp = true
    document.documentElement.dataset.dragging = ''
    const step = () => {
      scrollAlong(this.#root, held.at)
      if (held.grip === 'link') scrollBeside(this.#root, held.at)
      this.#show(held)
      held.frame = requestAnimationFrame(step)
    }
    step()
  }

  /** Bars are drawn again when they move by a day; the line of a dependency follows the pointer. */
  #show(held: Held): void {
    const drag = this.#drag(held)
    const text = held.grip === 'link' ? `${held.at.x} ${held.at.y} ${this.#root.scrollLeft}` : String(drag.days)
    if (text === this.#shown) return
    this.#shown = text
    this.#latest.current.handlers.onChange(drag)
  }

  readonly #onMove = (event: PointerEvent): void => {
    const held = this.#held
    if (held === null || event.pointerId !== held.pointer) return
    held.at = { x: event.clientX, y: event.clientY }
    if (held.isPickedUp) return
    const distance = Math.hypot(held.at.x - held.from.x, held.at.y - held.from.y)
    if (held.isTouch && distance > touch_slop_px) this.end(false)
    else if (!held.isTouch && distance > slop_px) this.#pickUp()
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.#held?.isPickedUp) return
    event.preventDefault()
    event.stopPropagation()
    this.end(false)
  }
}

/** The click that a browser makes of the end of a drag would open the task. */
function suppressClick(): void {
  const onClick = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', onClick, true)
  setTimeout(() => removeEventListener('click', onClick, true))
}
