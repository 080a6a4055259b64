/** One item: the outline of its type, and its text. */

import { t } from '../../language/index.ts'
import { ItemText } from './item-text.tsx'
import { linkOf, type Paint, paintOf } from './paint.ts'
import { headAt, middleOf, pathThrough } from './path.ts'
import type { Placed, Point } from './scene.ts'

const corner_max = 32

export function ItemShape(placed: Placed) {
  const { item, box } = placed
  const paint = paintOf(item)
  switch (item.type) {
    case 'text':
      return <ItemText item={item} box={box} opacity={paint.opacity} />
    case 'connector':
      return <Connector {...placed} paint={paint} />
    case 'line':
    case 'freehand':
      return <Stroke {...placed} paint={paint} />
    case 'frame':
      return <Frame {...placed} />
    case 'image':
      return <Placeholder {...placed} label={imageLabel(item.data.asset)} />
    case 'embed':
      return <Placeholder {...placed} label={linkOf(item)?.host ?? t('Embedded page')} />
    case 'unknown':
      return <Placeholder {...placed} label={item.text ?? item.source.element_type} />
    default:
      return (
        <>
          <Outline {...placed} paint={paint} />
          <ItemText item={item} box={box} opacity={paint.opacity} inside />
        </>
      )
  }
}

type Painted = Placed & { readonly paint: Paint }

function lineProps({ stroke, strokeWidth, dashes, opacity }: Paint) {
  return {
    stroke,
    strokeWidth,
    opacity,
    strokeLinecap: 'round' as const,
    strokeLinejoin: 'round' as const,
    ...(dashes === undefined ? {} : { strokeDasharray: dashes }),
  }
}

function Outline({ item, box, paint }: Painted) {
  const { left, top, width, height } = box
  const props = { ...lineProps(paint), fill: paint.fill, fillOpacity: paint.fillOpacity }
  const [x, y] = [left + width / 2, top + height / 2]
  if (item.data.shape === 'ellipse') return <ellipse {...props} cx={x} cy={y} rx={width / 2} ry={height / 2} />
  if (item.data.shape === 'diamond') {
    const points = `${x},${top} ${left + width},${y} ${x},${top + height} ${left},${y}`
    return <polygon {...props} points={points} />
  }
  const radius = paint.rounded ? Math.min(corner_max, Math.min(width, height) / 4) : 0
  return <rect {...props} x={left} y={top} width={width} height={height} rx={radius} />
}

function pointsOf(value: unknown): Point[] {
  if (!Array.isArray(value)) return []
  return value.filter((point): point is Point => Number.isFinite(point?.x) && Number.isFinite(point?.y))
}

function Stroke({ item, box, paint }: Painted) {
  const points = pointsOf(item.data.points)
  const [first, last] = [points[0], points.at(-1)]
  const isFree = item.type === 'freehand'
  const isClosed = points.length > 2 && first !== undefined && first.x === last?.x && first.y === last.y
  const path = pathThrough(points, isFree || paint.rounded, { x: box.left, y: box.top })
  const width = isFree ? Math.max(1, paint.strokeWidth * 2) : paint.strokeWidth
  const fill = isClosed && !isFree ? paint.fill : 'none'
  return (
    <>
      <path {...lineProps(paint)} d={path} strokeWidth={width} fill={fill} fillOpacity={paint.fillOpacity} />
      <Heads {...{ item, box, paint }} points={points.map(({ x, y }) => ({ x: x + box.left, y: y + box.top }))} />
    </>
  )
}

function Connector({ item, box, paint }: Painted) {
  const points = item.connector?.path ?? []
  const middle = middleOf(points)
  return (
    <>
      <path {...lineProps(paint)} d={pathThrough(points, paint.rounded)} fill="none" />
      <Heads {...{ item, box, paint }} points={points} />
      {item.text !== null && (
        <ItemText
          item={item}
          box={{ left: middle.x, top: middle.y, width: 0, height: 0 }}
          opacity={paint.opacity}
          haloed
        />
      )}
    </>
  )
}

function Heads({ item, paint, points }: Painted & { readonly points: readonly Point[] }) {
  const [start, second] = points
  const [before, end] = [points.at(-2), points.at(-1)]
  if (start === undefined || second === undefined || before === undefined || end === undefined) return null
  const heads = [
    headAt(item.style.start_arrowhead, start, second, paint.strokeWidth),
    headAt(item.style.end_arrowhead, end, before, paint.strokeWidth),
  ]
  const { strokeDasharray: _, ...props } = { strokeDasharray: undefined, ...lineProps(paint) }
  return heads.map((head, at) =>
    head === null ? null : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the first is the start, the second the end
      <path key={at} {...props} d={head.path} fill={head.filled ? paint.stroke : 'none'} className="drawing-head" />
    ),
  )
}

function Frame({ item, box }: Placed) {
  const { left, top, width, height } = box
  return (
    <>
      <rect className="drawing-frame" x={left} y={top} width={width} height={height} rx={8} />
      {item.text !== null && (
        <text className="drawing-frame-name" x={left} y={top - 8}>
          {item.text}
        </text>
      )}
    </>
  )
}

/** Stands for images, whose bytes are not served, for embedded pages, and for unknown types. */
function Placeholder({ box, label }: Placed & { readonly label: string }) {
  const { left, top, width, height } = box
  const size = Math.max(6, Math.min(16, height / 4, (width / Math.max(1, label.length)) * 1.6))
  return (
    <>
      <rect className="drawing-placeholder" x={left} y={top} width={width} height={height} rx={4} />
      <text
        className="drawing-placeholder-text"
        x={left + width / 2}
        y={top + height / 2}
        fontSize={size}
        textAnchor="middle"
        dominantBaseline="central"
      >
        {label}
      </text>
    </>
  )
}

function imageLabel(asset: unknown): string {
  if (typeof asset !== 'object' || asset === null) return t('Image (not in the file)')
  const kind = 'media_type' in asset && typeof asset.media_type === 'string' ? asset.media_type : 'image'
  return t('Image ({toUpperCase})', { toUpperCase: kind.replace('image/', '').toUpperCase() })
}
