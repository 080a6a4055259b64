/** Where nodes are drawn: where their authors put them, or from left to right in the order of the edges. */
import { Graph as Layout, layout } from '@dagrejs/dagre'
import type { GraphDraft, Place } from './graph.ts'
import { card_height, card_width, gap_x, gap_y, ownPlaces } from './places.ts'

/** The places that the graph has, and computed ones if any node has none. */
export function placesOf(graph: GraphDraft): ReadonlyMap<string, Place> {
  const own = ownPlaces(graph)
  return own.size === graph.nodes.length ? own : arranged(graph)
}

/** From left to right; a loop stands before its body. */
export function arranged(graph: GraphDraft): ReadonlyMap<string, Place> {
  const plan = new Layout({ multigraph: true })
  plan.setGraph({ rankdir: 'LR', ranksep: gap_x, nodesep: gap_y, marginx: 0, marginy: 0 })
  plan.setDefaultEdgeLabel(() => ({}))
  const ids = new Set(graph.nodes.map(({ id }) => id))
  for (const { id } of graph.nodes) plan.setNode(id, { width: card_width, height: card_height })
  for (const { source, target } of graph.edges) if (ids.has(source) && ids.has(target)) plan.setEdge(source, target)
  for (const { id, parent } of graph.nodes) {
    const isEntered = graph.edges.some(({ target }) => target === id)
    if (parent && ids.has(parent) && !isEntered) plan.setEdge(parent, id)
  }
  layout(plan)
  return new Map(
    graph.nodes.map(({ id }) => {
      const { x = 0, y = 0 } = (plan.node(id) ?? {}) as { readonly x?: number; readonly y?: number }
      return [id, { x: Math.round(x - card_width / 2), y: Math.round(y - card_height / 2) }]
    }),
  )
}
