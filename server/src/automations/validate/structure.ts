/**
 * Faults of a graph as a whole: ids, bodies, edges and ports, cycles, reachability, length (contract/16#validation).
 */
import type { Fault } from '../../api/declare/errors.ts'
import { automation_limits } from '../limits.ts'
import { cyclesOf, longestWalk, reached } from '../order.ts'
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
} from '../sketch.ts'

type AddFault = (param: string, what: string) => void

/** `ids` are the ids of all nodes in the order of the array, duplicates included. */
export function structureFaults(sketch: Sketch, ids: readonly unknown[]): Fault[] {
  const faults: Fault[] = []
  const addFault: AddFault = (param, what) => faults.push({ param, message: `${param} ${what}.` })
  checkDuplicates(ids, addFault)
  for (const node of sketch.nodes) {
    checkParent(sketch, node, addFault)
    if (node.type === 'switch') checkCases(node, addFault)
    if (node.type === 'for_each') checkBody(sketch, node, addFault)
  }
  const seen = new Set<string>()
  for (const edge of sketch.edges) checkEdge(sketch, edge, seen, addFault)
  if (ids.length > 0) checkTriggers(sketch, addFault)
  checkCycles(sketch, addFault)
  if (sketch.nodes.some(({ type }) => isTriggerType(type))) checkReach(sketch, addFault)
  checkLength(sketch, addFault)
  return faults
}

function checkDuplicates(ids: readonly unknown[], addFault: AddFault): void {
  for (const [i, id] of ids.entries()) {
    const first = ids.indexOf(id)
    if (typeof id === 'string' && first < i) addFault(`graph.nodes[${i}].id`, `is also the id of graph.nodes[${first}]`)
  }
}

function checkParent(sketch: Sketch, node: SketchNode, addFault: AddFault): void {
  if (node.parent === null) return
  const path = `${node.path}.parent`
  const parent = sketch.byId.get(node.parent)
  if (isTriggerType(node.type)) addFault(path, 'is not allowed for a trigger, because a run starts outside every body')
  else if (parent === undefined) addFault(path, `names the unknown node "${node.parent}"`)
  else if (parent.type !== 'for_each') addFault(path, `must name a for_each, but ${parent.id} is a ${parent.type}`)
  else if (isCircular(sketch, node)) addFault(path, 'puts the node inside itself')
}

function isCircular(sketch: Sketch, node: SketchNode): boolean {
  return enclosing(sketch, node.id).some(({ parent }) => parent === node.id)
}

function checkCases(node: SketchNode, addFault: AddFault): void {
  const ports = casePorts(node)
  for (const [i, port] of ports.entries()) {
    const path = `${node.path}.config.cases[${i}].port`
    if (port === 'default') addFault(path, 'must not be default, which is the port if no case is true')
    else if (ports.indexOf(port) < i) addFault(path, `is also the port of another case: "${port}"`)
  }
}

function checkBody(sketch: Sketch, node: SketchNode, addFault: AddFault): void {
  const body = nodesIn(sketch, node.id)
  if (body.length === 0) addFault(node.path, 'has no body: no node names it as its parent')
  const [first, ...more] = entriesOf(sketch, node.id)
  for (const entry of more) {
    addFault(entry.path, `requires an edge from inside the body of ${node.id}, which already starts at ${first?.id}`)
  }
}

function checkEdge(sketch: Sketch, edge: SketchEdge, seen: Set<string>, addFault: AddFault): void {
  const source = sketch.byId.get(edge.source)
  const target = sketch.byId.get(edge.target)
  if (source === undefined) addFault(`${edge.path}.source`, `names the unknown node "${edge.source}"`)
  if (target === undefined) addFault(`${edge.path}.target`, `names the unknown node "${edge.target}"`)
  if (target !== undefined && isTriggerType(target.type)) addFault(`${edge.path}.target`, 'must not be a trigger')
  if (source !== undefined) checkPort(source, edge, addFault)
  if (source === undefined || target === undefined) return
  const key = `${edge.source} ${edge.port ?? defaultPort(source)} ${edge.target}`
  if (seen.has(key)) addFault(edge.path, 'is repeated')
  seen.add(key)
  if (source.parent !== target.parent) addFault(edge.path, 'leads into or out of the body of a for_each')
}

function checkPort(source: SketchNode, edge: SketchEdge, addFault: AddFault): void {
  const ports = portsOf(source)
  const path = `${edge.path}.port`
  if (ports.length === 0) addFault(`${edge.path}.source`, 'must not be a stop, because a stop ends the run')
  else if (edge.port === undefined && !ports.includes(defaultPort(source))) {
    addFault(
      path,
      `is required, because a ${source.type} has no port ${defaultPort(source)}; use one of ${ports.join(', ')}`,
    )
  } else if (edge.port !== undefined && !ports.includes(edge.port)) {
    addFault(path, `must be one of ${ports.join(', ')}, the ports of ${source.id}${hintOf(edge.port, source)}`)
  }
}

function hintOf(port: string, { type }: SketchNode): string {
  if (port === 'timed_out' && (type === 'approval.wait' || type === 'flow.call'))
    return ' (timed_out needs timeout_seconds)'
  if (type === 'approval.wait') return ''
  return port === 'error' && type.includes('.') ? ' (error needs on_error: branch)' : ''
}

function checkTriggers(sketch: Sketch, addFault: AddFault): void {
  const triggers = sketch.nodes.filter(({ type }) => isTriggerType(type))
  if (triggers.length === 0) addFault('graph.nodes', 'must contain a trigger that starts the flow')
  const [, ...more] = triggers.filter(({ type }) => type === 'trigger.webhook')
  for (const { path } of more) addFault(`${path}.type`, 'must not be a second trigger.webhook: a flow has one address')
  const [, ...forms] = triggers.filter(({ type }) => type === 'trigger.form')
  for (const { path } of forms) addFault(`${path}.type`, 'must not be a second trigger.form: a flow has one form')
  const [, ...calls] = triggers.filter(({ type }) => type === 'trigger.call')
  for (const { path } of calls)
    addFault(`${path}.type`, 'must not be a second trigger.call: a flow is called in one way')
  const [, ...mails] = triggers.filter(({ type }) => type === 'trigger.mail')
  for (const { path } of mails) addFault(`${path}.type`, 'must not be a second trigger.mail: a flow has one mailbox')
  for (const { id, path } of triggers) {
    if (!sketch.edges.some(({ source }) => source === id)) addFault(path, 'has no outgoing edge')
  }
}

function checkCycles(sketch: Sketch, addFault: AddFault): void {
  for (const { edge, ids } of cyclesOf(sketch)) {
    addFault(edge.path, `creates a cycle: ${[...ids, edge.target].join(' → ')}`)
  }
}

function checkReach(sketch: Sketch, addFault: AddFault): void {
  const found = reached(sketch)
  for (const { id, path } of sketch.nodes) if (!found.has(id)) addFault(path, 'cannot be reached from a trigger')
}

function checkLength(sketch: Sketch, addFault: AddFault): void {
  const steps = longestWalk(sketch)
  if (steps <= automation_limits.automation_steps_max) return
  addFault(
    'graph.nodes',
    `could lead to a run of ${steps} steps; at most ${automation_limits.automation_steps_max} are allowed`,
  )
}
