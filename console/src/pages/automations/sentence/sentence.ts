/**
 * A graph read as a sentence: *when* one of its triggers fires, *then* its steps follow one another; a condition on the way says
 * *and only if*, and one of them may say what happens *otherwise*. Pure, both ways. A graph that branches further, joins or repeats
 * is not a sentence: the reading names the part that is the reason, and the canvas shows it.
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
  /** Conditions and steps, in their order, as far as each condition is true. */
  readonly steps: readonly NodeDraft[]
  /** What happens if one of these conditions is not true; null if nothing does. */
  readonly otherwise: Otherwise | null
}

interface Otherwise {
  /** The id of the condition, which is one of the steps. */
  readonly of: string
  /** At least one. */
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
  const { next, fork } = waysOf(graph)
  const begin = next.get(when[0]?.id ?? '')
  const other = when.find(({ id }) => next.get(id) !== begin)
  if (other !== undefined) return about(other, t('starts with another step than the other triggers'))
  const left = new Map(others.map((node) => [node.id, node]))
  const steps = takeRow(begin, next, left)
  if ('obstacle' in steps) return steps
  const others_of_fork = fork === undefined ? [] : takeRow(fork.target, next, left, steps)
  if ('obstacle' in others_of_fork) return others_of_fork
  const [lost] = left.values()
  if (lost !== undefined) return about(lost, t('does not follow another step'))
  const otherwise = fork === undefined ? null : { of: fork.source, steps: others_of_fork }
  return { sentence: { when, steps, otherwise } }
}

/** Where each node leads, and the edge for a condition that is not true. */
function waysOf({ nodes, edges }: GraphDraft) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const isFork = (edge: EdgeDraft) => portOf(edge, byId.get(edge.source)) === 'false'
  const next = new Map(edges.filter((edge) => !isFork(edge)).map(({ source, target }) => [source, target]))
  return { next, fork: edges.find(isFork) }
}

/** Takes the nodes that follow one another. `earlier` are the steps of the other branch. */
function takeRow(
  begin: string | undefined,
  next: ReadonlyMap<string, string>,
  left: Map<string, NodeDraft>,
  earlier: readonly NodeDraft[] = [],
): readonly NodeDraft[] | { readonly obstacle: Obstacle } {
  const row: NodeDraft[] = []
  for (let at = begin; at !== undefined; at = next.get(at)) {
    const step = left.get(at)
    if (step === undefined) {
      const joined = earlier.find(({ id }) => id === at)
      if (joined !== undefined) return about(joined, t('follows in both cases of a condition'))
      return { obstacle: { node: at, text: t('The steps lead back to an earlier one.') } }
    }
    left.delete(at)
    row.push(step)
  }
  return row
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
  let fork: string | null = null
  for (const edge of edges) {
    const source = byId.get(edge.source)
    const target = byId.get(edge.target)
    if (source === undefined || target === undefined || isTrigger(target)) {
      return { node: source?.id ?? target?.id ?? null, text: t('A connection does not lead from one step to another.') }
    }
    const port = portOf(edge, source)
    if (port === 'error') return about(source, t('has steps of its own for the case that it fails')).obstacle
    if (port === 'timed_out' && source.type === 'flow.call')
      return about(source, t('also says what happens if it takes too long')).obstacle
    if (port === 'rejected' || port === 'timed_out')
      return about(source, t('also says what happens if it is not approved')).obstacle
    const isFork = source.type === 'condition' && port === 'false'
    if (isFork && fork !== null && fork !== source.id)
      return about(source, t('also says what happens if it is not true, as another condition does')).obstacle
    if (isFork) fork = source.id
    else if (port !== defaultPort(source.type)) return about(source, t('leaves by “{port}”', { port })).obstacle
    const way = wayOf(source.id, port)
    if (left.has(way)) return about(source, t('is followed by several steps at once')).obstacle
    left.add(way)
  }
  return null
}

/** An edge of a sentence is identified by where it leaves. */
function wayOf(source: string, port: string): string {
  return `${source} ${port}`
}

/** All cards, in the order in which they are read. */
export function cardsOf({ when, steps, otherwise }: Sentence): readonly NodeDraft[] {
  return [...when, ...steps, ...(otherwise?.steps ?? [])]
}

/** The steps before a card on its way. */
export function stepsBefore({ steps, otherwise }: Sentence, card: string): readonly NodeDraft[] {
  const until = (row: readonly NodeDraft[], id: string) =>
    row.slice(
      0,
      Math.max(
        0,
        row.findIndex((step) => step.id === id),
      ),
    )
  if (otherwise === null || !otherwise.steps.some(({ id }) => id === card)) return until(steps, card)
  return [...until(steps, otherwise.of), ...until(otherwise.steps, card)]
}

/** The sentence with other cards in place of some; an id stays. */
export function withCards(sentence: Sentence, change: (node: NodeDraft) => NodeDraft): Sentence {
  const { when, steps, otherwise } = sentence
  const others = otherwise && { ...otherwise, steps: otherwise.steps.map(change) }
  return { when: when.map(change), steps: steps.map(change), otherwise: others }
}

/** The sentence without a card. What happens otherwise goes with its condition. */
export function withoutCard({ when, steps, otherwise }: Sentence, card: string): Sentence {
  const without = (nodes: readonly NodeDraft[]) => nodes.filter(({ id }) => id !== card)
  const others = otherwise === null || otherwise.of === card ? [] : without(otherwise.steps)
  return {
    when: without(when),
    steps: without(steps),
    otherwise: others.length === 0 || otherwise === null ? null : { ...otherwise, steps: others },
  }
}

/** The graph that says the sentence, and that otherwise is the base: what the base has and the sentence has not is removed. */
export function toGraph(sentence: Sentence, base: GraphDraft): GraphDraft {
  const all = cardsOf(sentence)
  const wanted = new Map(all.map((node) => [node.id, node]))
  const kept = base.nodes.flatMap(({ id }) => wanted.get(id) ?? [])
  const known = new Set(kept.map(({ id }) => id))
  let drawn: GraphDraft = { ...base, nodes: kept, edges: edgesFor(sentence, base.edges) }
  for (const node of all) {
    if (known.has(node.id)) continue
    drawn = { ...drawn, nodes: [...drawn.nodes, withPlace(drawn, node, stepsBefore(sentence, node.id).at(-1))] }
  }
  return drawn
}

/** Edges of the sentence. One whose source now leads elsewhere is changed where it stands. */
function edgesFor(sentence: Sentence, edges: readonly EdgeDraft[]): readonly EdgeDraft[] {
  const byId = new Map(cardsOf(sentence).map((node) => [node.id, node]))
  const next = new Map(linksOf(sentence).map((link) => [wayOf(link.source, link.port), link]))
  const kept = edges.flatMap((edge): readonly EdgeDraft[] => {
    const way = wayOf(edge.source, portOf(edge, byId.get(edge.source)))
    const wanted = next.get(way)
    if (wanted === undefined) return []
    next.delete(way)
    return [edge.target === wanted.target ? edge : { ...edge, target: wanted.target }]
  })
  const added = [...next.values()].map(({ source, port, target }): EdgeDraft => {
    return { source, ...(port !== 'out' && { port }), target }
  })
  return [...kept, ...added]
}

interface Link {
  readonly source: string
  readonly port: string
  readonly target: string
}

/** What the sentence connects, in the order in which it is read. */
function linksOf({ when, steps, otherwise }: Sentence): readonly Link[] {
  const [first] = steps
  const starts = first === undefined ? [] : when.map((each) => linkOf(each, first))
  const others = otherwise?.steps ?? []
  const [begin] = others
  const fork = begin && otherwise ? [{ source: otherwise.of, port: 'false', target: begin.id }] : []
  return [...starts, ...rowLinks(steps), ...fork, ...rowLinks(others)]
}

function rowLinks(row: readonly NodeDraft[]): readonly Link[] {
  return row.flatMap((source, i) => {
    const target = row[i + 1]
    return target === undefined ? [] : [linkOf(source, target)]
  })
}

function linkOf(source: NodeDraft, target: NodeDraft): Link {
  return { source: source.id, port: defaultPort(source.type), target: target.id }
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
