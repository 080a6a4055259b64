/** The dependencies between the tasks in view, as arrows. A chosen one can be removed. */
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../design/index.ts'
import { lookUp, t } from '../../../language/index.ts'
import type { Relations } from '../task-relations.ts'
import { type Link, ordering_kinds } from './bars.ts'

/** The bar of a row, in pixels of the axis. */
export interface PlacedBar {
  readonly key: string
  readonly index: number
  readonly left: number
  readonly right: number
}

interface ArrowsProps {
  readonly relations: ReadonlyMap<string, Relations>
  readonly bars: ReadonlyMap<string, PlacedBar>
  readonly row_px: number
  readonly width: number
  readonly height: number
  /** The line that is being drawn. */
  readonly line: { readonly from: string; readonly x: number; readonly y: number } | null
  readonly onRemove: (link: Link) => void
}

const bend_px = 7
const head_px = 5

export function Arrows({ relations, bars, row_px, width, height, line, onRemove }: ArrowsProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const links = linksBetween(relations, bars)
  const shown = links.find(({ link }) => link.id === chosen)
  const y = ({ index }: PlacedBar) => (index + 0.5) * row_px
  const start = line === null ? undefined : bars.get(line.from)
  return (
    <>
      <svg className="gantt-arrows" width={width} height={height} aria-hidden="true">
        {links.map(({ link, from, to }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the task's panel removes dependencies by keyboard
          <g
            key={link.id}
            className="gantt-arrow"
            data-chosen={link.id === chosen || undefined}
            data-late={to.left < from.right - 1 || undefined}
            onClick={() => setChosen(link.id === chosen ? null : link.id)}
          >
            <title>{`${from.key} ${link.kind} ${to.key}`}</title>
            <path className="gantt-arrow-reach" d={pathOf(from.right, y(from), to.left, y(to), row_px)} />
            <path d={pathOf(from.right, y(from), to.left, y(to), row_px)} />
            <path className="gantt-arrow-head" d={headOf(to.left, y(to))} />
          </g>
        ))}
        {line !== null && start && (
          <path className="gantt-drawn" d={`M${start.right} ${y(start)}L${line.x} ${line.y}`} />
        )}
      </svg>
      {shown && (
        <div className="gantt-chosen" style={{ left: Math.max(0, shown.to.left - 40), top: y(shown.to) + row_px / 2 }}>
          <Button
            size="s"
            icon={X}
            onClick={() => {
              setChosen(null)
              onRemove(shown.link)
            }}
          >
            {t('Remove: {key} {kind} {key2}', {
              key: shown.from.key,
              kind: lookUp(shown.link.kind.replaceAll('_', ' ')),
              key2: shown.to.key,
            })}
          </Button>
        </div>
      )}
    </>
  )
}

function linksBetween(relations: ReadonlyMap<string, Relations>, bars: ReadonlyMap<string, PlacedBar>) {
  const found = new Map<string, { link: Link; from: PlacedBar; to: PlacedBar }>()
  for (const { rows } of relations.values()) {
    for (const link of rows) {
      const [from, to] = [bars.get(link.from), bars.get(link.to)]
      if (from && to && ordering_kinds.includes(link.kind)) found.set(link.id, { link, from, to })
    }
  }
  return [...found.values()]
}

/** From the end of a bar to the start of another: round it if the other one begins earlier. */
function pathOf(x1: number, y1: number, x2: number, y2: number, row_px: number): string {
  if (x2 - x1 >= 2 * bend_px) return `M${x1} ${y1}h${bend_px}V${y2}H${x2}`
  const middle = y2 > y1 ? y1 + row_px / 2 : y1 - row_px / 2
  return `M${x1} ${y1}h${bend_px}V${middle}H${x2 - bend_px}V${y2}H${x2}`
}

function headOf(x: number, y: number): string {
  return `M${x - head_px} ${y - head_px + 1}L${x} ${y}L${x - head_px} ${y + head_px - 1}Z`
}
