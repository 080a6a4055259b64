/** The text of an item as SVG text nodes. */
import type { BoardItem } from '@atrium/sdk'
import { textPaintOf } from './paint.ts'
import type { Box } from './scene.ts'
import { line_height, linesOf } from './text-lines.ts'

interface ItemTextProps {
  readonly item: BoardItem
  readonly box: Box
  readonly opacity: number
  /** The text stays within its shape. */
  readonly inside?: boolean
  /** The text sits on a line, with a halo that interrupts the line. */
  readonly haloed?: boolean
}

const inset = 5
const anchors = { left: 'start', center: 'middle', right: 'end' } as const

export function ItemText({ item, box, opacity, inside = false, haloed = false }: ItemTextProps) {
  if (item.text === null) return null
  const { color, size, align, vertical } = textPaintOf(item)
  const lines = linesOf(item.text, size, widthFor(item, box, size, inside, haloed))
  const step = size * line_height
  const pad = inside ? inset : 0
  const x =
    align === 'left' ? box.left + pad : align === 'right' ? box.left + box.width - pad : box.left + box.width / 2
  const free = box.height - lines.length * step
  const top = vertical === 'top' ? pad : vertical === 'bottom' ? free - pad : free / 2
  const first = box.top + (inside || haloed ? top : 0) + step / 2
  return (
    <text
      className="drawing-text"
      data-haloed={haloed || undefined}
      fill={color}
      fontSize={size}
      opacity={opacity}
      textAnchor={anchors[haloed ? 'center' : align]}
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are not reordered
        <tspan key={at} x={haloed ? box.left : x} y={first + at * step} dominantBaseline="central">
          {line}
        </tspan>
      ))}
    </text>
  )
}

/** The width at which lines break. A text whose typed lines already fill its height has no wrapped lines. */
function widthFor(item: BoardItem, box: Box, size: number, inside: boolean, haloed: boolean): number | null {
  if (haloed) return null
  const isRound = item.data.shape === 'ellipse' || item.data.shape === 'diamond'
  if (inside) return Math.max(size, (isRound ? box.width * 0.72 : box.width) - 2 * inset)
  const typed = item.text?.split('\n').length ?? 1
  return typed * size * line_height >= box.height * 0.85 ? null : Math.max(size, box.width)
}
