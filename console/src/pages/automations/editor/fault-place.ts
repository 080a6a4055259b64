/** Where the server's faults of a graph belong. */
import type { GraphDraft } from './graph.ts'

export interface GraphFault {
  /** The node that has it; null for the graph as a whole. */
  readonly node: string | null
  /** The setting, such as `set.status`; empty for the node as a whole. */
  readonly setting: string
  readonly message: string
}

/** `graph.nodes[3].config.set.status` is the setting `set.status` of the fourth node; an edge's fault is its source's. */
export function placeOf(path: string, graph: GraphDraft): Pick<GraphFault, 'node' | 'setting'> {
  const [, list, index = '', rest = ''] = /^graph\.(nodes|edges)\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  if (list === 'nodes') return { node: graph.nodes[Number(index)]?.id ?? null, setting: rest.replace(/^config\.?/, '') }
  if (list === 'edges') return { node: graph.edges[Number(index)]?.source ?? null, setting: '' }
  return { node: null, setting: '' }
}
