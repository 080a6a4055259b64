/**
 * Changes of a graph that is being edited: pure functions from graph to graph. A draft may be invalid at any time; the server
 * checks it. What a change does not touch keeps its identity and its bytes, so a graph that is saved unchanged keeps its hash.
 */
import type { AutomationEdge, AutomationGraph } from '@atrium/sdk'
import { keyOf, moveNotes, type NoteDraft, notesOf, pasteNotes, removeNotes } from './notes.ts'

export interface Place {
  readonly x: number
  readonly y: number
}

/** A node of a draft. Its settings are what the form has made of them so far. */
export interface NodeDraft {
  readonly id: string
  readonly type: string
  readonly name?: string
  /** The loop whose body contains the node. */
  readonly parent?: string | null
  readonly ui?: { readonly x?: number; readonly y?: number; readonly note?: string }
  readonly config: Readonly<Record<string, unknown>>
  readonly retry?: Readonly<Record<string, unknown>>
  readonly on_error?: string
}

export type EdgeDraft = Readonly<AutomationEdge>

export interface GraphDraft {
  readonly schema_version: number
  readonly nodes: readonly NodeDraft[]
  readonly edges: readonly EdgeDraft[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** Notes on the canvas, which are sent beside the graph. */
  readonly notes?: readonly NoteDraft[]
}

export function draftOf(graph: AutomationGraph): GraphDraft {
  // The union of node types is a list of what a valid node may be; a draft is wider.
  return graph as unknown as GraphDraft
}

export function graphOf(draft: GraphDraft): AutomationGraph {
  // Sent as it is: the server names everything that is wrong with it.
  return versioned(withoutNotes(draft)) as unknown as AutomationGraph
}

function withoutNotes(draft: GraphDraft): GraphDraft {
  if (draft.notes === undefined) return draft
  const { notes: _, ...graph } = draft
  return graph
}

/** Node types that an older version of the graph format does not know, with the first version that does. */
const versions: Readonly<Record<string, number>> = {
  'chat.post': 2,
  'trigger.webhook': 3,
  'approval.wait': 4,
  'mail.send': 4,
  'trigger.form': 5,
  'trigger.mail': 6,
  'trigger.call': 7,
  'flow.call': 7,
  'task.create_many': 8,
  'task.update_many': 8,
  'task.update_parent': 8,
}

/** The version that a node needs; a stop that returns an output needs a newer one than other stops. */
function versionOf({ type, config }: NodeDraft): number {
  return type === 'stop' && config.output !== undefined ? 7 : (versions[type] ?? 1)
}

/** The draft in the version that its nodes need; a version is never lowered, so an unchanged graph keeps its hash. */
export function versioned(draft: GraphDraft): GraphDraft {
  const needed = Math.max(draft.schema_version, ...draft.nodes.map(versionOf))
  return needed === draft.schema_version ? draft : { ...draft, schema_version: needed }
}

export function isTrigger({ type }: { readonly type: string }): boolean {
  return type.startsWith('trigger.')
}

/** The port that an edge without one leaves by. */
export function portOf(edge: EdgeDraft, source: { readonly type: string } | undefined): string {
  return edge.port ?? defaultPort(source?.type)
}

const default_ports: Readonly<Record<string, string>> = { condition: 'true', 'approval.wait': 'approved' }

/** The port of a type of node that an edge leaves by if it names none. */
export function defaultPort(type: string | undefined): string {
  return default_ports[type ?? ''] ?? 'out'
}

/** An id that no node has, from the words of its type: `comment`, `comment_2`. */
export function freshId(graph: GraphDraft, type: string): string {
  const words = type.split('.').at(-1) ?? 'step'
  const taken = new Set(graph.nodes.map(({ id }) => id))
  if (!taken.has(words)) return words
  let number = 2
  while (taken.has(`${words}_${number}`)) number++
  return `${words}_${number}`
}

export function addNode(graph: GraphDraft, node: NodeDraft, from?: { node: string; port: string }): GraphDraft {
  const added = { ...graph, nodes: [...graph.nodes, node] }
  return from === undefined ? added : connect(added, from.node, from.port, node.id)
}

export function changeNode(graph: GraphDraft, id: string, change: (node: NodeDraft) => NodeDraft): GraphDraft {
  return { ...graph, nodes: graph.nodes.map((node) => (node.id === id ? change(node) : node)) }
}

/** Removes nodes, the bodies of removed loops, all their edges, and notes. */
export function removeNodes(graph: GraphDraft, ids: ReadonlySet<string>): GraphDraft {
  const gone = new Set(ids)
  let size = -1
  while (size !== gone.size) {
    size = gone.size
    for (const { id, parent } of graph.nodes) if (parent && gone.has(parent)) gone.add(id)
  }
  const left = {
    ...graph,
    nodes: graph.nodes.filter(({ id }) => !gone.has(id)),
    edges: graph.edges.filter(({ source, target }) => !gone.has(source) && !gone.has(target)),
  }
  return removeNotes(left, ids)
}

/** Adds an edge, unless it exists. The default port is left out, as people write it. */
export function connect(graph: GraphDraft, source: string, port: string, target: string): GraphDraft {
  const from = graph.nodes.find(({ id }) => id === source)
  const exists = graph.edges.some(
    (edge) => edge.source === source && edge.target === target && portOf(edge, from) === port,
  )
  if (exists || source === target) return graph
  const edge = { source, ...(port === 'out' ? {} : { port }), target }
  return { ...graph, edges: [...graph.edges, edge] }
}

/** The steps beside a node that it can lead to without a cycle, and the ports by which it does already. */
export function targetsOf(
  graph: GraphDraft,
  node: NodeDraft,
): readonly { readonly target: NodeDraft; readonly ports: readonly string[] }[] {
  const before = new Set([node.id])
  for (const id of before) for (const { source, target } of graph.edges) if (target === id) before.add(source)
  return graph.nodes
    .filter((each) => !isTrigger(each) && each.parent === node.parent && !before.has(each.id))
    .map((target) => {
      const edges = graph.edges.filter((edge) => edge.source === node.id && edge.target === target.id)
      return { target, ports: edges.map((edge) => portOf(edge, node)) }
    })
}

export function removeEdges(graph: GraphDraft, indexes: ReadonlySet<number>): GraphDraft {
  return { ...graph, edges: graph.edges.filter((_, i) => !indexes.has(i)) }
}

/** Moves nodes and notes. Without a move the graph stays the same. */
export function moveNodes(graph: GraphDraft, places: ReadonlyMap<string, Place>): GraphDraft {
  const nodes = graph.nodes.map((node) => {
    const place = places.get(node.id)
    if (place === undefined) return node
    const [x, y] = [Math.round(place.x), Math.round(place.y)]
    return node.ui?.x === x && node.ui.y === y ? node : { ...node, ui: { ...node.ui, x, y } }
  })
  const moved = nodes.every((node, i) => node === graph.nodes[i]) ? graph : { ...graph, nodes }
  return moveNotes(moved, places)
}

/** Nodes in the body of a loop, at any depth. */
export function bodyOf(graph: GraphDraft, loop: string): readonly NodeDraft[] {
  return graph.nodes.filter((node) => {
    for (let parent = node.parent; parent; parent = graph.nodes.find(({ id }) => id === parent)?.parent) {
      if (parent === loop) return true
    }
    return false
  })
}

/** Copies of nodes and notes with new ids, the edges among them, and their places moved by `by` pixels. */
export function paste(graph: GraphDraft, copied: GraphDraft, by: number): { graph: GraphDraft; ids: string[] } {
  let next = graph
  const names = new Map<string, string>()
  for (const node of copied.nodes) {
    const id = freshId(next, node.id.replace(/_\d+$/, ''))
    names.set(node.id, id)
    const { x, y } = node.ui ?? {}
    const ui = x === undefined || y === undefined ? node.ui : { ...node.ui, x: x + by, y: y + by }
    next = { ...next, nodes: [...next.nodes, { ...node, id, ...(ui && { ui }) }] }
  }
  const renamed = (id: string) => names.get(id) ?? id
  const parents = (node: NodeDraft) =>
    node.parent && [...names.values()].includes(node.id) ? { ...node, parent: renamed(node.parent) } : node
  next = { ...next, nodes: next.nodes.map(parents) }
  const inside = copied.edges.filter(({ source, target }) => names.has(source) && names.has(target))
  const edges = inside.map((edge) => ({ ...edge, source: renamed(edge.source), target: renamed(edge.target) }))
  const pasted = pasteNotes({ ...next, edges: [...next.edges, ...edges] }, notesOf(copied), by)
  return { graph: pasted.graph, ids: [...names.values(), ...pasted.keys] }
}

/** The part of a graph that consists of these nodes and notes. */
export function partOf(graph: GraphDraft, ids: ReadonlySet<string>): GraphDraft {
  const notes = notesOf(graph).filter((note) => ids.has(keyOf(note)))
  return {
    schema_version: graph.schema_version,
    nodes: graph.nodes.filter(({ id }) => ids.has(id)),
    edges: graph.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
    ...(notes.length > 0 && { notes }),
  }
}

/** The value at a path of a node's settings: `set.status`. */
export function settingAt(config: Readonly<Record<string, unknown>>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? (value as Record<string, unknown>)[key] : undefined), config)
}

/** Sets the value at a path; undefined removes it. Objects on the way are made as needed. */
export function withSetting(
  config: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [key = '', ...rest] = path.split('.')
  const { [key]: before, ...others } = config
  if (rest.length > 0) {
    const inner = isObject(before) ? (before as Record<string, unknown>) : {}
    return { ...config, [key]: withSetting(inner, rest.join('.'), value) }
  }
  return value === undefined ? others : { ...config, [key]: value }
}

/** Of the two ways to say which tasks are created, the settings of the other one go. */
export function withNodeSetting(
  { type, config }: Pick<NodeDraft, 'type' | 'config'>,
  path: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (type !== 'task.create_many' || path !== 'items') return withSetting(config, path, value)
  const { items: _, tasks, max_items, on_overflow, set, ...rest } = config
  if (value === undefined) return { ...rest, tasks: tasks ?? [{ title: '' }] }
  return { ...rest, items: value, max_items: max_items ?? 20, set: set ?? { title: { $expr: 'item' } } }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
