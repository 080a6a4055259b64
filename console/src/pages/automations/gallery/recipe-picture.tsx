/** A recipe as a picture: its graph in the layout of the canvas, each step by its icon. In a chunk of its own, with the layout. */
import './gallery.css'
import { useMemo } from 'react'
import { t } from '../../../language/index.ts'
import { placesOf } from '../editor/arrange.ts'
import { type GraphDraft, isTrigger, type NodeDraft, type Place } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { card_height, card_width } from '../editor/places.ts'
import { titleOf } from '../editor/summary.ts'

const margin = 12
const icon_px = 44

interface RecipePictureProps {
  readonly graph: GraphDraft
  /** Whether the picture has a name of its own; beside the recipe's text it has none. */
  readonly isNamed?: boolean
}

export function RecipePicture({ graph, isNamed = false }: RecipePictureProps) {
  const places = useMemo(() => placesOf(graph), [graph])
  const steps = graph.nodes.map(titleOf).join(', ')
  return (
    <svg
      className="recipe-picture"
      viewBox={boxOf(places)}
      role="img"
      aria-label={isNamed ? t('The steps: {steps}', { steps }) : undefined}
      aria-hidden={isNamed ? undefined : true}
    >
      {linesOf(graph, places).map((line) => (
        <path key={line} className="recipe-line" d={line} />
      ))}
      {graph.nodes.map((node) => (
        <Card key={node.id} node={node} place={places.get(node.id) ?? { x: 0, y: 0 }} />
      ))}
    </svg>
  )
}

function boxOf(places: ReadonlyMap<string, Place>): string {
  const [xs, ys] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)]
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin]
  const [right, bottom] = [Math.max(...xs) + card_width + margin, Math.max(...ys) + card_height + margin]
  return `${left} ${top} ${right - left} ${bottom - top}`
}

function Card({ node, place: { x, y } }: { readonly node: NodeDraft; readonly place: Place }) {
  const { icon: Icon } = kindOf(node.type)
  return (
    <g className="recipe-card" data-kind={isTrigger(node) ? 'trigger' : 'step'}>
      <rect x={x} y={y} width={card_width} height={card_height} rx={18} />
      <Icon
        x={x + (card_width - icon_px) / 2}
        y={y + (card_height - icon_px) / 2}
        width={icon_px}
        height={icon_px}
        aria-hidden="true"
      />
    </g>
  )
}

/** A curve for each edge, from the right of a card to the left of the next one, and one from a loop into its body. */
function linesOf({ nodes, edges }: GraphDraft, places: ReadonlyMap<string, Place>): string[] {
  const entered = new Set(edges.map(({ target }) => target))
  const entries = nodes.flatMap(({ id, parent }) =>
    parent && !entered.has(id) ? [{ source: parent, target: id }] : [],
  )
  const lines = [...edges, ...entries].flatMap(({ source, target }) => {
    const [from, to] = [places.get(source), places.get(target)]
    return from === undefined || to === undefined ? [] : [curve(from, to)]
  })
  return [...new Set(lines)]
}

function curve(from: Place, to: Place): string {
  const [x1, y1] = [from.x + card_width, from.y + card_height / 2]
  const [x2, y2] = [to.x, to.y + card_height / 2]
  const bend = Math.max(40, Math.abs(x2 - x1) / 2)
  return `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}
