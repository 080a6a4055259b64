/** Where dragged cards land on a board: a line shows the place between cards. */
import type { CardPlace } from './board-order.ts'
import {
  type DragHandlers,
  type DropSurface,
  type Point,
  scrollAlong,
  scrollBeside,
  usePointerDrag,
} from './pointer-drag.ts'

/** The `index` of a place counts the cards of the lane without the dragged one. */
export type CardDrag = DragHandlers<CardPlace>

/** Makes the cards in `board` draggable. */
export function useCardDrag(board: HTMLElement | null, isEnabled: boolean, drag: CardDrag): void {
  usePointerDrag(board, isEnabled, board_surface, drag)
}

const board_surface: DropSurface<CardPlace> = { show: placeAt, clear, scroll: scrollAtEdges }

/** The line at the place. */
let line: HTMLElement | null = null

function clear(board: HTMLElement): void {
  line?.remove()
  line = null
  for (const card of board.querySelectorAll<HTMLElement>('[data-dragged]')) delete card.dataset.dragged
  for (const lane of board.querySelectorAll<HTMLElement>('[data-drop]')) delete lane.dataset.drop
}

/** The place under the pointer, which the line shows. The column is chosen by the pointer's distance from the side alone. */
function placeAt(board: HTMLElement, at: Point, id: string): CardPlace | null {
  const lanes = [...board.querySelectorAll<HTMLElement>('[data-column]')]
  const lane = lanes.find((each) => {
    const { left, right } = each.getBoundingClientRect()
    return left <= at.x && at.x < right
  })
  for (const each of lanes) if (each !== lane) delete each.dataset.drop
  if (lane === undefined) return hideLine()
  const list = lane.querySelector<HTMLElement>('.board-cards')
  const cards = [...lane.querySelectorAll<HTMLElement>('[data-index]')].filter((each) => each.dataset.card !== id)
  if (list === null) return hideLine()
  lane.dataset.drop = ''
  const next = cards.find((each) => {
    const { top, height } = each.getBoundingClientRect()
    return at.y < top + height / 2
  })
  const last = cards.at(-1)
  showLine(list.getBoundingClientRect(), next ?? null, last ?? null)
  const own = lane.querySelector<HTMLElement>(`[data-card="${id}"]`)
  const ownIndex = own === null ? Number.POSITIVE_INFINITY : Number(own.dataset.index)
  const index =
    next === undefined ? (last === undefined ? 0 : Number(last.dataset.index) + 1) : Number(next.dataset.index)
  return { lane: lane.dataset.column ?? '', index: index > ownIndex ? index - 1 : index }
}

function hideLine(): null {
  if (line !== null) line.hidden = true
  return null
}

/** Draws the line above `next`, or below `last`. */
function showLine(list: DOMRect, next: HTMLElement | null, last: HTMLElement | null): void {
  if (line === null) {
    line = document.createElement('div')
    line.className = 'board-line'
    document.body.append(line)
  }
  const gap = 4
  const edge =
    next?.getBoundingClientRect().top ??
    (last === null ? list.top + 2 * gap : last.getBoundingClientRect().bottom + 2 * gap)
  const top = Math.max(list.top, Math.min(list.bottom, edge - gap))
  line.hidden = false
  Object.assign(line.style, {
    left: `${list.left + 2 * gap}px`,
    width: `${list.width - 4 * gap}px`,
    top: `${top - 1}px`,
  })
}

function scrollAtEdges(board: HTMLElement, at: Point): void {
  scrollAlong(board, at)
  for (const list of board.querySelectorAll<HTMLElement>('.board-cards')) {
    const { left, right } = list.getBoundingClientRect()
    if (left <= at.x && at.x < right) scrollBeside(list, at)
  }
}
