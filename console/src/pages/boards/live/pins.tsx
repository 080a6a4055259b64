/** Threads of comments on the canvas: pins of one size that keep their place on the canvas, or on their element. */
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import { type MouseEvent, memo } from 'react'
import { Avatar } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { placeOf } from './placing.ts'
import type { View } from './task-cards.tsx'

interface Point {
  readonly x: number
  readonly y: number
}

/** Where a thread is: a point of the canvas, or of an element from its left top corner. */
export interface Place {
  readonly position: Point
  readonly element: string | null
}

interface Pin extends Place {
  readonly id: string
  /** Names the pin for screen readers. */
  readonly label: string
  readonly author: { readonly id: string; readonly name: string }
}

/** What the canvas shows of comments, and says to the page around it. */
export interface PinsOnCanvas {
  readonly pins: readonly Pin[]
  readonly chosen: string | null
  readonly isPlacing: boolean
  readonly onOpen: (pin: string) => void
  readonly onPlace: (place: Place) => void
}

/** The box of an element that a pin is attached to. */
type Anchor = Pick<ExcalidrawElement, 'x' | 'y' | 'width' | 'height' | 'angle'>
export type Anchors = Readonly<Record<string, Anchor>>

/** The boxes of the elements that pins are attached to, as far as they are on the board. */
export function anchorsOf(elements: readonly ExcalidrawElement[], pins: readonly Place[]): Anchors {
  const wanted = new Set(pins.flatMap(({ element }) => element ?? []))
  if (wanted.size === 0) return no_anchors
  return Object.fromEntries(
    elements.flatMap(({ id, x, y, width, height, angle, isDeleted }) =>
      isDeleted || !wanted.has(id) ? [] : [[id, { x, y, width, height, angle }] as const],
    ),
  )
}

const no_anchors: Anchors = {}

/** The point of the canvas; null if the element is gone. */
export function pointOf({ position, element }: Place, anchors: Anchors): Point | null {
  if (element === null) return position
  const anchor = anchors[element]
  if (anchor === undefined) return null
  return turned({ x: anchor.x + position.x, y: anchor.y + position.y }, anchor, anchor.angle)
}

/** The place of a thread that begins at a point: on the topmost shape there, or on the canvas. */
export function placeAt(elements: readonly ExcalidrawElement[], point: Point): Place {
  for (const element of elements.toReversed()) {
    if (element.isDeleted || without_inside.has(element.type)) continue
    const { x, y } = turned(point, element, -element.angle)
    if (x < element.x || y < element.y || x > element.x + element.width || y > element.y + element.height) continue
    const holder = 'containerId' in element ? element.containerId : null
    const target = elements.find(({ id }) => id === holder) ?? element
    const from = turned(point, target, -target.angle)
    return { position: { x: from.x - target.x, y: from.y - target.y }, element: target.id }
  }
  return { position: point, element: null }
}

/** Their boxes are mostly empty. */
const without_inside: ReadonlySet<string> = new Set(['arrow', 'line', 'freedraw', 'frame', 'magicframe'])

/** A point turned around the centre of a box. */
function turned({ x, y }: Point, box: Anchor, angle: number): Point {
  if (angle === 0) return { x, y }
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const [right, down] = [x - centre.x, y - centre.y]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return { x: centre.x + right * cos - down * sin, y: centre.y + right * sin + down * cos }
}

export interface PinsProps extends PinsOnCanvas {
  readonly api: ExcalidrawImperativeAPI | null
  readonly anchors: Anchors
  readonly view: View
}

export function Pins({ api, pins, chosen, isPlacing, anchors, view, onOpen, onPlace }: PinsProps) {
  const { scrollX, scrollY, zoom } = view
  const place = (event: MouseEvent<HTMLElement>) => {
    if (api !== null) onPlace(placeAt(api.getSceneElements(), placeOf(api, event.currentTarget, event)))
  }
  return (
    <>
      {isPlacing && (
        <button type="button" className="live-placing" aria-label={t('Place the comment here')} onClick={place} />
      )}
      <div className="live-pins" style={{ transform: `translate(${scrollX * zoom}px, ${scrollY * zoom}px)` }}>
        <Placed {...{ pins, chosen, anchors, zoom, onOpen }} />
      </div>
    </>
  )
}

type PlacedProps = Pick<PinsProps, 'pins' | 'chosen' | 'anchors' | 'onOpen'> & { readonly zoom: number }

/** Not drawn again while the canvas is moved. */
const Placed = memo(function Placed({ pins, chosen, anchors, zoom, onOpen }: PlacedProps) {
  return pins.map((pin) => {
    const point = pointOf(pin, anchors)
    if (point === null) return null
    return (
      <button
        key={pin.id}
        type="button"
        className="live-pin"
        aria-label={pin.label}
        aria-pressed={pin.id === chosen}
        title={pin.label}
        style={{ left: point.x * zoom, top: point.y * zoom }}
        onClick={() => onOpen(pin.id)}
      >
        <Avatar name={pin.author.name} id={pin.author.id} size="s" />
      </button>
    )
  })
})
