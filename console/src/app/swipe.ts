/**
 * Swipes of a finger over rows: a row follows the finger, says what a lift would do, and does it when the finger has gone far
 * enough. A finger that goes up or down scrolls, one that stays is a long press. A mouse does not swipe.
 */
import './swipe.css'
import { useEffect, useRef } from 'react'

type SwipeSide = 'right' | 'left'

interface SwipeAction {
  readonly label: string
  readonly tone: 'ok' | 'info'
  readonly run: () => void
}

export interface Swipes {
  /** Selects the rows. */
  readonly rows: string
  /** What a swipe to a side does; null if nothing. */
  readonly actionOf: (row: HTMLElement, side: SwipeSide) => SwipeAction | null
}

/** A finger that has moved this far, in pixels, swipes or scrolls. */
const slop_px = 10
/** A lift acts from here on, in pixels. */
const act_px = 88
/** Beyond this the row follows at a fraction of the finger's way. */
const free_px = 160
const slowed = 0.3

interface Swipe {
  readonly row: HTMLElement
  readonly from: { readonly x: number; readonly y: number }
  /** Null until it is clear that the finger swipes. */
  hint: HTMLElement | null
  by: number
}

/** Follows fingers on the page's rows while the component is mounted. */
export function useSwipes(swipes: Swipes): void {
  const latest = useRef(swipes)
  latest.current = swipes
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let swipe: Swipe | null = null
    const end = (acts: boolean) => {
      const ended = swipe
      swipe = null
      if (ended !== null && ended.hint !== null) finish(ended, acts ? actionOf(latest.current, ended) : null)
    }
    const onStart = ({ touches, target }: TouchEvent) => {
      end(false)
      const row = target instanceof Element ? target.closest<HTMLElement>(latest.current.rows) : null
      const [touch] = touches
      if (row === null || touch === undefined || touches.length > 1) return
      swipe = { row, from: { x: touch.clientX, y: touch.clientY }, hint: null, by: 0 }
    }
    const onMove = (event: TouchEvent) => {
      const [touch] = event.touches
      if (swipe === null || touch === undefined) return
      const x = touch.clientX - swipe.from.x
      const y = touch.clientY - swipe.from.y
      if (swipe.hint === null) {
        if (Math.hypot(x, y) < slop_px) return
        // A row that is carried after a long press goes where the finger goes.
        if (Math.abs(y) >= Math.abs(x) || swipe.row.dataset.dragged !== undefined || event.defaultPrevented) {
          swipe = null
          return
        }
        swipe.hint = begin(swipe.row)
      }
      if (event.cancelable) event.preventDefault()
      swipe.by = Math.sign(x) * reach(Math.abs(x))
      show(swipe, actionOf(latest.current, swipe))
    }
    addEventListener('touchstart', onStart, { signal, passive: true })
    addEventListener('touchmove', onMove, { signal, passive: false })
    addEventListener('touchend', () => end(true), { signal })
    addEventListener('touchcancel', () => end(false), { signal })
    return () => {
      end(false)
      ending.abort()
    }
  }, [])
}

function actionOf(swipes: Swipes, { row, by }: Swipe): SwipeAction | null {
  return by === 0 ? null : swipes.actionOf(row, by > 0 ? 'right' : 'left')
}

const reach = (px: number) => Math.min(px, free_px) + Math.max(0, px - free_px) * slowed

/** The strip that the row uncovers. */
function begin(row: HTMLElement): HTMLElement {
  const hint = document.createElement('div')
  hint.className = 'swipe-hint'
  hint.setAttribute('aria-hidden', 'true')
  document.body.append(hint)
  row.dataset.swiped = ''
  return hint
}

function show({ row, hint, by }: Swipe, action: SwipeAction | null): void {
  if (hint === null) return
  const shift = action === null ? 0 : by
  row.style.translate = `${shift}px`
  const box = row.getBoundingClientRect()
  hint.textContent = action?.label ?? ''
  hint.dataset.side = by > 0 ? 'right' : 'left'
  hint.dataset.tone = action?.tone
  hint.toggleAttribute('data-acts', action !== null && Math.abs(by) >= act_px)
  Object.assign(hint.style, {
    top: `${box.top}px`,
    height: `${box.height}px`,
    left: `${by > 0 ? box.left - shift : box.right}px`,
    width: `${Math.abs(shift)}px`,
  })
}

function finish({ row, hint, by }: Swipe, action: SwipeAction | null): void {
  row.style.translate = ''
  delete row.dataset.swiped
  hint?.remove()
  if (action !== null && Math.abs(by) >= act_px) action.run()
}
