/** The items of a board as SVG. Drawings are untrusted: every text is a text node, and paint.ts checks colours and links. */
import './drawing.css'
import { memo, type ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { ItemShape } from './item-shape.tsx'
import { linkOf } from './paint.ts'
import { centreOf, type Placed, type Scene } from './scene.ts'
import { TaskCard } from './task-card.tsx'

/** Task cards beyond this number are plain links that do not read their task. */
const live_cards_max = 200

interface DrawingProps {
  readonly scene: Scene
  /** A thumbnail: without links, and without reading tasks. */
  readonly isStatic?: boolean
}

export const Drawing = memo(function Drawing({ scene, isStatic = false }: DrawingProps) {
  let cards = 0
  return scene.placed.map((placed) => {
    const { item } = placed
    if (isStatic) return <Rotated key={item.id} placed={placed} />
    if (item.linked_task !== null && item.connector === null) {
      cards += 1
      return (
        <Rotated key={item.id} placed={placed}>
          <TaskCard placed={placed} task={item.linked_task} isLive={cards <= live_cards_max} />
        </Rotated>
      )
    }
    return <Linked key={item.id} placed={placed} />
  })
})

/** An item with its link, which opens in a new tab without access to this one. */
function Linked({ placed }: { readonly placed: Placed }) {
  const link = linkOf(placed.item)
  if (link === null) return <Rotated placed={placed} />
  return (
    <a
      className="drawing-link"
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      draggable={false}
      aria-label={t('{text} ({host}, opens in a new tab)', { text: placed.item.text ?? t('Link'), host: link.host })}
    >
      <Rotated placed={placed} />
    </a>
  )
}

function Rotated({ placed, children }: { readonly placed: Placed; readonly children?: ReactNode }) {
  const { item, box } = placed
  const { rotation } = item.geometry
  const { x, y } = centreOf(box)
  // The path of a connector is already rotated.
  const isRotated = rotation !== 0 && item.connector === null
  return (
    <g {...(isRotated && { transform: `rotate(${rotation} ${x} ${y})` })}>{children ?? <ItemShape {...placed} />}</g>
  )
}
