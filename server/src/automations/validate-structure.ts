/** The faults of a graph as a whole: ids, bodies, edges and ports, cycles, reach, length. */
import type { Fault } from '../api/errors.ts'
import { limits } from '../lib/limits.ts'
import { cyclesOf, longestWalk, reached } from './order.ts'
import {
  casePorts,
  defaultPort,
  enclosing,
  entriesOf,
  isTriggerType,
  nodesIn,
  portsOf,
  type Sketch,
  type SketchEdge,
  type SketchNode,
} from './sketch.ts'

type Say = (param: string, what: string) => void

/** `ids` are those of all nodes by their place in the array, twins too. */
export function structureFaults(sketch: Sketch, ids: readonly unknown[]): Fault[] {
  const faults: Fault[] = []
  const say: Say = (param, what) => faults.push({ param, message: `${param} ${what}.` })
  sayTwins(ids, say)
  for (const node of sketch.nodes) {
    sayParent(sketch, node, say)
    if (node.type === 'switch') sayCases(node, say)
    if (node.type === 'for_each') sayBody(sketch, node, say)
  }
  const seen = new Set<string>()
  for (const edge of sketch.edges) sayEdge(sketch, edge, seen, say)
  if (ids.length > 0) sayTriggers(sketch, say)
  sayCycles(sketch, say)
  if (sketch.nodes.some(({ type }) => isTriggerType(type))) sayReach(sketch, say)
  sayLength(sketch, say)
  return faults
}

function sayTwins(ids: readonly unknown[], say: Say): void {
  for (const [i, id] of ids.entries()) {
    const first = ids.indexOf(id)
    if (typeof id === 'string' && first < i) say(`graph.nodes[${i}].id`, `is the id of graph.nodes[${first}] too`)
  }
}

function sayParent(sketch: Sketch, node: SketchNode, say: Say): void {
  if (node.parent === null) return
  const path = `${node.path}.parent`
  const parent = sketch.byId.get(node.parent)
  if (isTriggerType(node.type)) say(path, 'is not for triggers: a run begins outside of every body')
  else if (parent === undefined) say(path, `names no node: there is no ${node.parent}`)
  else if (parent.type !== 'for_each') say(path, `must name a for_each, and ${parent.id} is a ${parent.type}`)
  else if (isCircular(sketch, node)) say(path, 'puts the node inside of itself')
}

function isCircular(sketch: Sketch, node: SketchNode): boolean {
  return enclosing(sketch, node.id).some(({ parent }) => parent === node.id)
}

function sayCases(node: SketchNode, say: Say): void {
  const ports = casePorts(node)
  for (const [i, port] of ports.entries()) {
    const path = `${node.path}.config.cases[${i}].port`
    if (port === 'default') say(path, 'must not be default: that port is taken when no case is met')
    else if (ports.indexOf(port) < i) say(path, `is the port of another case: ${port}`)
  }
}

function sayBody(sketch: Sketch, node: SketchNode, say: Say): void {
  const body = nodesIn(sketch, node.id)
  if (body.length === 0) say(node.path, 'has no body: no node names it as its parent')
  const [first, ...more] = entriesOf(sketch, node.id)
  for (const entry of more) {
    say(entry.path, `needs an edge from inside the body of ${node.id}, which already begins at ${first?.id}`)
  }
}

function sayEdge(sketch: Sketch, edge: SketchEdge, seen: Set<string>, say: Say): void {
  const source = sketch.byId.get(edge.source)
  const target = sketch.byId.get(edge.target)
  if (source === undefined) say(`${edge.path}.source`, `names no node: there is no ${edge.source}`)
  if (target === undefined) say(`${edge.path}.target`, `names no node: there is no ${edge.target}`)
  if (target !== undefined && isTriggerType(target.type)) say(`${edge.path}.target`, 'must not be a trigger')
  if (source !== undefined) sayPort(source, edge, say)
  if (source === undefined || target === undefined) return
  const key = `${edge.source} ${edge.port ?? defaultPort(source)} ${edge.target}`
  if (seen.has(key)) say(edge.path, 'is there twice')
  seen.add(key)
  if (source.parent !== target.parent) say(edge.path, 'leads into or out of the body of a for_each')
}

function sayPort(source: SketchNode, edge: SketchEdge, say: Say): void {
  const ports = portsOf(source)
  const path = `${edge.path}.port`
  if (ports.length === 0) say(`${edge.path}.source`, 'must not be a stop: nothing comes after it')
  else if (edge.port === undefined && !ports.includes(defaultPort(source))) {
    say(path, `is required: a ${source.type} has no port ${defaultPort(source)}, but ${ports.join(', ')}`)
  } else if (edge.port !== undefined && !ports.includes(edge.port)) {
    const hint = edge.port === 'error' && source.type.includes('.') ? ' (error needs on_error: branch)' : ''
    say(path, `must be one of ${ports.join(', ')}: those are the ports of ${source.id}${hint}`)
  }
}

function sayTriggers(sketch: Sketch, say: Say): void {
  const triggers = sketch.nodes.filter(({ type }) => isTriggerType(type))
  if (triggers.length === 0) say('graph.nodes', 'must hold a trigger, or nothing ever starts the flow')
  for (const { id, path } of triggers) {
    if (!sketch.edges.some(({ source }) => source === id)) say(path, 'leads nowhere: no edge begins at this trigger')
  }
}

function sayCycles(sketch: Sketch, say: Say): void {
  for (const { edge, ids } of cyclesOf(sketch)) {
    say(edge.path, `closes a cycle: ${[...ids, edge.target].join(' → ')}`)
  }
}

function sayReach(sketch: Sketch, say: Say): void {
  const found = reached(sketch)
  for (const { id, path } of sketch.nodes) if (!found.has(id)) say(path, 'cannot be reached from a trigger')
}

function sayLength(sketch: Sketch, say: Say): void {
  const steps = longestWalk(sketch)
  if (steps <= limits.automation_steps_max) return
  say('graph.nodes', `could take a run of ${steps} steps; at most ${limits.automation_steps_max} are allowed`)
}
