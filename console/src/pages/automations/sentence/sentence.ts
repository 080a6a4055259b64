/**
 * A graph read as a sentence: *when* one of its triggers fires, *then* its steps follow one another; a condition on the way says
 * *and only if*. Pure, both ways. A graph that branches, joins or repeats is not a sentence: the reading names the part that is the
 * reason, and the canvas shows it.
 *
 * Invariants: reading never throws, whatever the draft. `toGraph(toSentence(graph), graph)` is the graph byte for byte. An edit keeps
 * the bytes of every node and edge that it does not touch, their order, and everything that cards do not show: places, notes,
 * retries, settings.
 */

import { t } from '../../../language/index.ts'
import { defaultPort, type EdgeDraft, type GraphDraft, isTrigger, type NodeDraft, portOf } from '../editor/graph.ts'
import { kinds } from '../editor/kinds.ts'
import { ownPlaces, placeFor } from '../editor/places.ts'
import { titleOf } from '../editor/summary.ts'

export interface Sentence {
  /** The triggers: any of them starts the flow. */
  readonly when: readonly NodeDraft[]
  /** Conditions and steps, in their order. */
  readonly steps: readonly NodeDraft[]
}

/** Why a graph is not a sentence. */
export interface Obstacle {
  /** The node that is the reason; null for the graph as a whole. */
  readonly node: string | null
  readonly text: string
}

export type Reading = { readonly sentence: Sentence } | { readonly obstacle: Obstacle }

export function toSentence(graph: GraphDraft): Reading {
  const obstacle = obstacleOfNodes(graph) ?? obstacleOfEdges(graph)
  if (obstacle !== null) return { obstacle }
  const when = graph.nodes.filter(isTrigger)
  const others = graph.nodes.filter((node) => !isTrigger(node))
  const next = new Map(graph.edges.map(({ source, target }) => [source, target]))
  const begin = next.get(when[0]?.id ?? '')
  const other = when.find(({ id }) => next.get(id) !== begin)
  if (other !== undefined) return about(other, t('starts with another step than the other triggers'))
  const byId = new Map(others.map((node) => [node.id, node]))
  const steps: NodeDraft[] = []
  for (let at = begin; at !== undefined; at = next.get(at)) {
    const step = byId.get(at)
    if (step === undefined) return { obstacle: { node: at, text: t('The steps lead back to an earlier one.') } }
    byId.delete(at)
    steps.push(step)
  }
  const [lost] = byId.values()
  return lost === undefined ? { sentence: { when, steps } } : about(lost, t('does not follow another step'))
}

function about(node: NodeDraft, text: string): { readonly obstacle: Obstacle } {
  return { obstacle: { node: node.id, text: `“${titleOf(node)}” ${text}.` } }
}

/** What a node can be that no card says. */
const unsayable: Readonly<Record<string, string>> = {
  switch: t('leads to one of several ways'),
  for_each: t('repeats steps for each item'),
}

function obstacleOfNodes({ nodes }: GraphDraft): Obstacle | null {
  if (!nodes.some(isTrigger)) return { node: null, text: t('Nothing starts this flow.') }
  const ids = new Set<string>()
  for (const node of nodes) {
    const text = unsayable[node.type] ?? (node.parent ? t('is part of a loop') : undefined)
    if (text !== undefined) return about(node, text).obstacle
    if (kinds[node.type] === undefined)
      return about(node, t('is a kind of step that a sentence does not know')).obstacle
    if (ids.has(node.id)) return about(node, t('has the same id as another step')).obstacle
    ids.add(node.id)
  }
  return null
}

function obstacleOfEdges({ nodes, edges }: GraphDraft): Obstacle | null {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const left = new Set<string>()
  for (const edge of edges) {
    const source = byId.get(edge.source)
    const target = byId.get(edge.target)
    if (source === undefined || target === undefined || isTrigger(target)) {
      return { node: source?.id ?? target?.id ?? null, text: t('A connection does not lead from one step to another.') }
    }
    const port = portOf(edge, source)
    if (port === 'error') return about(source, t('has steps of its own for the case that it fails')).obstacle
    if (port === 'rejected' || port === 'timed_out')
      return about(source, t('also says what happens if it is not approved')).obstacle
    if (port === 'false') return about(source, t('also says what happens if it is not true')).obstacle
    if (port !== defaultPort(source.type)) return about(source, t('leaves by “{port}”', { port })).obstacle
    if (left.has(source.id)) return about(source, t('is followed by several steps at once')).obstacle
    left.add(source.id)
  }
  return null
}

/** The graph that says the sentence, and that otherwise is the base: what the base has and the sentence has not is removed. */
export function toGraph(sentence: Sentence, base: GraphDraft): GraphDraft {
  const all = [...sentence.when, ...sentence.steps]
  const wanted = new Map(all.map((node) => [node.id, node]))
  const kept = base.nodes.flatMap(({ id }) => wanted.get(id) ?? [])
  const known = new Set(kept.map(({ id }) => id))
  const graph = { ...base, nodes: kept, edges: edgesFor(sentence, base.edges) }
  let drawn = graph
  for (const [i, node] of all.entries()) {
    if (known.has(node.id)) continue
    const before = i < sentence.when.length ? undefined : all[i - 1]
    drawn = { ...drawn, nodes: [...drawn.nodes, withPlace(drawn, node, before)] }
  }
  return drawn
}

/** Edges of the sentence. One whose source now leads elsewhere is changed where it stands. */
function edgesFor({ when, steps }: Sentence, edges: readonly EdgeDraft[]): readonly EdgeDraft[] {
  const next = new Map<string, { readonly source: NodeDraft; readonly target: string }>()
  const [first] = steps
  if (first !== undefined) for (const source of when) next.set(source.id, { source, target: first.id })
  for (const [i, source] of steps.entries()) {
    const target = steps[i + 1]
    if (target !== undefined) next.set(source.id, { source, target: target.id })
  }
  const kept = edges.flatMap((edge): readonly EdgeDraft[] => {
    const wanted = next.get(edge.source)
    if (wanted === undefined) return []
    next.delete(edge.source)
    return [edge.target === wanted.target ? edge : { ...edge, target: wanted.target }]
  })
  const added = [...next.values()].map(({ source, target }): EdgeDraft => {
    const port = defaultPort(source.type)
    return { source: source.id, ...(port !== 'out' && { port }), target }
  })
  return [...kept, ...added]
}

/** A new node gets a place where all others have one; else the canvas arranges them all. */
function withPlace(graph: GraphDraft, node: NodeDraft, before: NodeDraft | undefined): NodeDraft {
  const places = ownPlaces(graph)
  if (node.ui !== undefined || places.size === 0 || places.size !== graph.nodes.length) return node
  return { ...node, ui: placeFor(graph, places, before && { node: before.id }) }
}

/** The parts of a node that no card shows, in words: they stay as they are. */
export function silentParts({ retry }: NodeDraft): readonly string[] {
  return retry === undefined ? [] : [t('its retries')]
}
