/**
 * An executable graph: the order of its nodes in each scope and the outputs each step may use. It is compiled once per
 * flow version, cached, and holds no state of a run.
 */
import type { Environment } from '@marcbachmann/cel-js'
import type { Variables } from './expressions.ts'
import { compileExpression, type Expression } from './expressions.ts'
import { orderOf, stepsBefore } from './order.ts'
import type { Graph, Node, NodeOf, StepNode, TriggerNode } from './schema.ts'
import { isTrigger } from './schema.ts'
import { defaultPort, enclosing, isTriggerType, nodesIn, type Sketch, sketchOf } from './sketch.ts'
import { renderTemplate, splitTemplate } from './templates.ts'
import { namesOf } from './validate/expressions.ts'

/** A step with its position in the program. */
interface ProgramStep {
  readonly node: StepNode
  /** The enclosing for_each nodes, outermost first; as many as the step's path has item numbers. */
  readonly within: readonly NodeOf<'for_each'>[]
  /** The steps whose outputs its expressions may use. */
  readonly sees: ReadonlySet<string>
}

export interface Program {
  readonly graph: Graph
  readonly triggers: ReadonlyMap<string, TriggerNode>
  readonly steps: ReadonlyMap<string, ProgramStep>
  /** The steps of each scope in execution order: null is the run itself, a for_each id its body. */
  readonly order: ReadonlyMap<string | null, readonly StepNode[]>
  /** Whether its expressions may use the run's task's `blocks`, `blocked_by` and `teams`. */
  readonly namesRelated: boolean
  /** The nodes that the edges of a port lead to. */
  targets(node: string, port: string): readonly string[]
  /** The expression of a source, compiled once. */
  expression(source: string): Expression
  /** Renders a template of the graph; throws ExpressionFailure. */
  render(template: string, variables: Variables): string
}

/** Compiles a graph that validateGraph accepted; throws TypeError for a graph that it would have refused. */
export function programOf(graph: Graph): Program {
  const sketch = sketchOf(graph)
  const nodes = new Map<string, Node>(graph.nodes.map((node) => [node.id, node]))
  const steps = new Map<string, ProgramStep>()
  for (const node of graph.nodes) if (!isTrigger(node)) steps.set(node.id, stepOf(sketch, nodes, node))
  const order = new Map<string | null, readonly StepNode[]>([[null, inOrder(sketch, null, steps)]])
  for (const { id, type } of sketch.nodes) if (type === 'for_each') order.set(id, inOrder(sketch, id, steps))
  const targets = targetsOf(sketch)
  return {
    graph,
    triggers: new Map(graph.nodes.filter(isTrigger).map((node) => [node.id, node])),
    steps,
    order,
    namesRelated: /\b(?:blocks|blocked_by|teams)\b/.test(JSON.stringify(graph)),
    targets: (node, port) => targets.get(`${node} ${port}`) ?? [],
    ...compiler(namesOf(sketch)),
  }
}

function stepOf(sketch: Sketch, nodes: ReadonlyMap<string, Node>, node: StepNode): ProgramStep {
  const [, ...around] = enclosing(sketch, node.id)
  const within = around.reverse().map(({ id }) => nodes.get(id) as NodeOf<'for_each'>)
  return { node, within, sees: stepsBefore(sketch, node.id) }
}

function inOrder(sketch: Sketch, scope: string | null, steps: ReadonlyMap<string, ProgramStep>): readonly StepNode[] {
  const order = orderOf(sketch, scope)
  if (order.length < nodesIn(sketch, scope).length) throw new TypeError('The graph has a cycle.')
  return order.filter(({ type }) => !isTriggerType(type)).map(({ id }) => (steps.get(id) as ProgramStep).node)
}

function targetsOf(sketch: Sketch): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>()
  for (const { source, port, target } of sketch.edges) {
    const node = sketch.byId.get(source)
    if (node === undefined || !sketch.byId.has(target))
      throw new TypeError('The graph has an edge from or to an unknown node.')
    const key = `${source} ${port ?? defaultPort(node)}`
    targets.set(key, [...(targets.get(key) ?? []), target])
  }
  return targets
}

function compiler(names: Environment): Pick<Program, 'expression' | 'render'> {
  const compiled = new Map<string, Expression>()
  const expression = (source: string): Expression => {
    const known = compiled.get(source)
    if (known !== undefined) return known
    const made = compileExpression(source, names)
    if (!made.ok) throw new TypeError(`The graph has an invalid expression: ${made.fault.message}.`)
    compiled.set(source, made.expression)
    return made.expression
  }
  const render = (template: string, variables: Variables): string => {
    const split = splitTemplate(template)
    if (!split.ok) throw new TypeError(`The graph has an invalid template: ${split.message}.`)
    const parts = split.parts.map((part) => ('text' in part ? part : { expression: expression(part.source) }))
    return renderTemplate(parts, variables)
  }
  return { expression, render }
}

/** The form of a program; a graph has at most one. */
export function formOf(program: Program): NodeOf<'trigger.form'> | undefined {
  return [...program.triggers.values()].find((each) => each.type === 'trigger.form')
}

/** The trigger of a program for received mail; a graph has at most one. */
export function mailTriggerOf(program: Program): NodeOf<'trigger.mail'> | undefined {
  return [...program.triggers.values()].find((each) => each.type === 'trigger.mail')
}

/** The trigger of a program for calls by other flows; a graph has at most one. */
export function callTriggerOf(program: Program): NodeOf<'trigger.call'> | undefined {
  return [...program.triggers.values()].find((each) => each.type === 'trigger.call')
}

/** The trigger of a program for incoming webhooks; a graph has at most one. */
export function webhookOf(program: Program): NodeOf<'trigger.webhook'> | undefined {
  return [...program.triggers.values()].find((each) => each.type === 'trigger.webhook')
}
