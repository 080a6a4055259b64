/** The items of a board as SVG. Every text of a drawing is a text node; its colours and links have been looked at before. */
import './drawing.css'
import { memo, type ReactNode } from 'react'
import { ItemShape } from './item-shape.tsx'
import { linkOf } from './paint.ts'
import { centreOf, type Placed, type Scene } from './scene.ts'
import { TaskCard } from './task-card.tsx'

/** Cards that read their task. More of them on one board are links only. */
const live_cards_max = 200

interface DrawingProps {
  readonly scene: Scene
  /** A picture of it: nothing leads anywhere and nothing is read. */
  readonly still?: boolean
}

export const Drawing = memo(function Drawing({ scene, still = false }: DrawingProps) {
  let cards = 0
  return scene.placed.map((placed) => {
    const { item } = placed
    if (still) return <Turned key={item.id} placed={placed} />
    if (item.linked_task !== null && item.connector === null) {
      cards += 1
      return (
        <Turned key={item.id} placed={placed}>
          <TaskCard placed={placed} task={item.linked_task} live={cards <= live_cards_max} />
        </Turned>
      )
    }
    return <Linked key={item.id} placed={placed} />
  })
})

/** Leads to where the drawing says, in a tab of its own that knows nothing of this one. */
function Linked({ placed }: { readonly placed: Placed }) {
  const link = linkOf(placed.item)
  if (link === null) return <Turned placed={placed} />
  return (
    <a
      className="drawing-link"
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      draggable={false}
      aria-label={`${placed.item.text ?? 'Link'} (${link.host}, opens in a new tab)`}
    >
      <Turned placed={placed} />
    </a>
  )
}

function Turned({ placed, children }: { readonly placed: Placed; readonly children?: ReactNode }) {
  const { item, box } = placed
  const { rotation } = item.geometry
  const { x, y } = centreOf(box)
  // The path of a connector is as it is seen already.
  const isTurned = rotation !== 0 && item.connector === null
  return (
    <g {...(isTurned ? { transform: `rotate(${rotation} ${x} ${y})` } : {})}>{children ?? <ItemShape {...placed} />}</g>
  )
}
