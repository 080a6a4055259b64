/**
 * Where a new step goes: which port leads to it, and where its card stands. Pure. A step without an edge is a
 * problem that a person has to repair first, so a new one follows another wherever only one can be meant.
 */
import { placesOf } from './arrange.ts'
import {
  addNode,
  connect,
  type GraphDraft,
  isTrigger,
  moveNodes,
  type NodeDraft,
  portOf,
  removeEdges,
} from './graph.ts'
import { portsOf } from './kinds.ts'
import { card_height, card_width, gap_x, lastCard, placeFor } from './places.ts'

/** The port that leads to a new step. */
export interface From {
  readonly node: string
  readonly port: string
}

/**
 * Adds a step that names no port: behind the selected step, between it and what follows; else behind the only step that leads nowhere;
 * unconnected if several steps, or none, could be meant.
 */
export function withNewStep(graph: GraphDraft, step: NodeDraft, selected: readonly string[]): GraphDraft {
  const from = isTrigger(step) ? undefined : portToFollow(graph, selected)
  return from === undefined ? withStep(graph, step) : withStepBetween(graph, step, from)
}

function portToFollow(graph: GraphDraft, selected: readonly string[]): From | undefined {
  const chosen = selected.length === 1 ? graph.nodes.find(({ id }) => id === selected[0]) : undefined
  const [end, ...others] = chosen === undefined ? openEnds(graph) : [chosen]
  const port = end && others.length === 0 ? freePort(graph, end) : undefined
  return end && port !== undefined ? { node: end.id, port } : undefined
}

/** Steps that lead nowhere and could. A loop's body ends in the loop. */
function openEnds({ nodes, edges }: GraphDraft): readonly NodeDraft[] {
  return nodes.filter(
    (node) => !node.parent && portsOf(node).length > 0 && !edges.some(({ source }) => source === node.id),
  )
}

/** The first port without an edge, else the first one. What follows a failure or a timeout is added at its own port. */
function freePort(graph: GraphDraft, node: NodeDraft): string | undefined {
  const ports = portsOf(node).map(({ name }) => name)
  const usual = ports.filter((port) => port !== 'error' && port !== 'timed_out')
  return usual.find((port) => edgesOf(graph, node, port).size === 0) ?? ports[0]
}

/** The indexes of the edges that leave by a port. */
function edgesOf({ edges }: GraphDraft, node: NodeDraft | undefined, port: string): ReadonlySet<number> {
  const indexes = edges.flatMap((edge, i) => (edge.source === node?.id && portOf(edge, node) === port ? [i] : []))
  return new Set(indexes)
}

/** Adds a step beside the one it follows, in the same loop, or else beside the last one. All steps keep the places they are drawn at. */
export function withStep(graph: GraphDraft, step: NodeDraft, from?: From): GraphDraft {
  const places = placesOf(graph)
  const { x, y } = placeFor(graph, places, from ?? (isTrigger(step) ? undefined : lastCard(places)))
  const parent = graph.nodes.find(({ id }) => id === from?.node)?.parent
  return addNode(moveNodes(graph, places), { ...step, ...(parent ? { parent } : {}), ui: { x, y } }, from)
}

/** Adds a step between a port and what the port leads to so far. */
function withStepBetween(graph: GraphDraft, step: NodeDraft, from: From): GraphDraft {
  const node = graph.nodes.find(({ id }) => id === from.node)
  const before = edgesOf(graph, node, from.port)
  const [port] = portsOf(step)
  // Behind a step without ports, what followed so far could not be reached.
  if (before.size === 0 || port === undefined) return withStep(graph, step, from)
  const targets = [...before].flatMap((index) => graph.edges[index]?.target ?? [])
  const added = withStep(removeEdges(withRoom(graph, from.node), before), step, from)
  return targets.reduce((next, target) => connect(next, step.id, port.name, target), added)
}

/** If another card stands right of a step, that card and all that are as far to the right move on by a column. */
function withRoom(graph: GraphDraft, from: string): GraphDraft {
  const places = placesOf(graph)
  const at = places.get(from)
  if (at === undefined) return graph
  const column = at.x + card_width + gap_x
  const isInTheWay = ({ x, y }: { readonly x: number; readonly y: number }) =>
    Math.abs(x - column) < card_width && Math.abs(y - at.y) < card_height
  if (![...places.values()].some(isInTheWay)) return graph
  const moved = [...places].map(([id, { x, y }]) => {
    const isRight = id !== from && x > column - card_width
    return [id, { x: isRight ? x + card_width + gap_x : x, y }] as const
  })
  return moveNodes(graph, new Map(moved))
}
