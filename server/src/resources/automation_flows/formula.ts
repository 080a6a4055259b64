/**
 * One formula of a draft that need not be saved or valid: what it may name, what is wrong with it, and its value for a task. Reads
 * only. The cost of the evaluation is bounded as in a run (contract/16#expressions).
 */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { declaredInputs } from '../../automations/calls.ts'
import { ExpressionFailure } from '../../automations/expressions/failure.ts'
import { compileExpression, type Expression, type SourceFault } from '../../automations/expressions.ts'
import { type FormulaName, formulaNames } from '../../automations/formula-names.ts'
import { automation_limits } from '../../automations/limits.ts'
import { isRecord } from '../../automations/shape.ts'
import { isTriggerType, type Sketch, type SketchNode, sketchOf } from '../../automations/sketch.ts'
import { eventTypesOf, hasTask, triggersOf } from '../../automations/triggers.ts'
import { availableNames, fieldsAt, misuse, namesOf } from '../../automations/validate/expressions.ts'
import { expressionAt } from '../../automations/validate.ts'
import type { RunFacts } from '../../automations/variables.ts'
import type { AutomationFlowRow, TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { factsOf, Surroundings } from '../automation_runs/shared/matches.ts'
import { inputsOf } from '../automation_runs/shared/sent-inputs.ts'
import { assumedEvent } from './assumed-start.ts'
import { assumedCall } from './samples/call.ts'

export interface FormulaPlace {
  /** The draft as it is edited. */
  readonly graph: { readonly nodes?: unknown; readonly edges?: unknown }
  /** The id of the node that has the formula. */
  readonly node: string
  /** Where it is in the node's config: `expr`, `set.status`, `cases[0].expr`. */
  readonly path: string
}

interface FormulaValue {
  /** The value as JSON; null also if it is missing. */
  readonly value: unknown
  /** Why there is no value, such as a division by zero; null if there is one. */
  readonly failure: string | null
  /** Variables that only a run has, such as `steps`; if there are any, the formula is not evaluated. */
  readonly only_in_run: readonly string[]
}

export interface ReadFormula {
  readonly names: readonly FormulaName[]
  /** What the server's validation says about the formula; `start` counts UTF-16 units from 0. */
  readonly fault: SourceFault | null
  /** Null while the formula has a fault, and without a task, unless it uses nothing but the inputs of a call. */
  readonly result: FormulaValue | null
  /** The inputs of a call that the value was computed with; null if it uses none. */
  readonly call: Readonly<Record<string, unknown>> | null
}

/** What the value is computed for. */
export interface FormulaSample {
  readonly task: TaskRow | null
  /** Inputs of a call; those that are left out are assumed as a preview does. */
  readonly call: Readonly<Record<string, unknown>>
}

/** Reads the formula at a place of a draft. Refuses a graph above the limits and a node that it does not have. */
export async function readFormula(
  { reader, caller, now }: { readonly reader: Reader; readonly caller: Caller; readonly now: number },
  flow: AutomationFlowRow,
  place: FormulaPlace,
  { task, call: sent }: FormulaSample,
): Promise<ReadFormula> {
  const { sketch, node } = nodeAt(place)
  const compiled = compileAt(sketch, node, place)
  const names = formulaNames(sketch, node, place.path)
  const unread = { names, result: null, call: null }
  if (compiled === null || compiled.fault !== null) return { ...unread, fault: compiled?.fault ?? null }
  const { expression } = compiled
  const { variables } = expression.names
  const call = variables.has('call') ? await sampleCall(reader, flow, sketch, sent) : null
  const needsTask = call === null || of_task.some((name) => variables.has(name))
  if (task === null && needsTask) return { ...unread, fault: null, call }
  const facts = await factsFor({ reader, caller, now }, flow, { sketch, node, expression }, task)
  return { names, fault: null, result: evaluate(expression, { ...facts, call }), call }
}

/** What formulas know of a task. */
const of_task = ['task', 'event', 'before'] as const

/** The inputs that were sent, with those that a preview assumes for the others; null if no other flow starts the run. */
async function sampleCall(
  reader: Reader,
  flow: AutomationFlowRow,
  sketch: Sketch,
  sent: FormulaSample['call'],
): Promise<ReadFormula['call']> {
  const trigger = sketch.nodes.find(({ type }) => type === 'trigger.call')
  if (trigger === undefined) return null
  const config = { inputs: [...declaredInputs(trigger.config.inputs)] }
  const assumed = await assumedCall(reader, flow, { config })
  return inputsOf({ ...assumed, ...sent }, { config })
}

function nodeAt({ graph, node: id }: FormulaPlace): { readonly sketch: Sketch; readonly node: SketchNode } {
  const { automation_nodes_max: nodes_max, automation_edges_max: edges_max } = automation_limits
  for (const [list, max] of [['nodes', nodes_max] as const, ['edges', edges_max] as const]) {
    const count = Array.isArray(graph[list]) ? graph[list].length : 0
    if (count <= max) continue
    const message = `\`graph.${list}\` has ${count} entries. At most ${max} are accepted.`
    throw refuse('invalid_request_body', { param: `graph.${list}`, message })
  }
  const sketch = sketchOf(graph)
  const node = sketch.byId.get(id)
  if (node !== undefined) return { sketch, node }
  throw refuse('invalid_request_body', { param: 'node', message: `\`graph\` has no node \`${id}\`.` })
}

type CompiledAt = { readonly fault: SourceFault } | { readonly fault: null; readonly expression: Expression }

/** Null if there is no formula of the right form at the path: the validation of the whole graph says why. */
function compileAt(sketch: Sketch, node: SketchNode, { graph, path }: FormulaPlace): CompiledAt | null {
  const sent: unknown = Array.isArray(graph.nodes) ? graph.nodes[node.index] : undefined
  if (!isRecord(sent)) return null
  const computed = expressionAt(sent, node.path, `${node.path}.config.${path}`)
  if (computed === undefined) return null
  const names = namesOf(sketch)
  const compiled = compileExpression(computed.source, names, fieldsAt(sketch, names, node, path))
  if (!compiled.ok) return { fault: compiled.fault }
  const fault = misuse(compiled.expression, computed.gives, availableNames(sketch, node, path))
  return fault === undefined ? { fault: null, expression: compiled.expression } : { fault }
}

interface Placed {
  readonly sketch: Sketch
  readonly node: SketchNode
  readonly expression: Expression
}

/** The facts of a run on the task; with the latest event about it, as a preview assumes it. */
async function factsFor(
  { reader, caller, now }: { readonly reader: Reader; readonly caller: Caller; readonly now: number },
  flow: AutomationFlowRow,
  { sketch, node, expression }: Placed,
  task: TaskRow | null,
): Promise<RunFacts> {
  const { variables } = expression.names
  const trigger = isTriggerType(node.type) ? node : triggersOf(sketch).find((each) => hasTask(each) !== 'never')
  const watched = trigger?.type === 'trigger.event' ? { event_types: eventTypesOf(trigger.config) } : null
  const wantsEvent = variables.has('event') || variables.has('before')
  const viewer = { mode: caller.mode, scopes: caller.scopes }
  const event =
    wantsEvent && watched !== null && task !== null
      ? await assumedEvent(reader, flow, watched, task, viewer, now)
      : null
  const namesRelated = variables.has('task')
  const around = new Surroundings(reader, flow.realm)
  const shown = task === null ? null : await around.task(task.id, { namesRelated })
  const org = await around.org(flow.organization)
  return factsOf(flow, org, { event, task: shown }, now)
}

const run_only = ['steps', 'item', 'index', 'run', 'request', 'form', 'mail'] as const

function evaluate(expression: Expression, facts: RunFacts): FormulaValue {
  const { variables } = expression.names
  const absent = [
    ...run_only,
    ...(facts.call === null ? (['call'] as const) : []),
    ...(facts.event === null ? (['event', 'before'] as const) : []),
  ]
  const only_in_run = absent.filter((name) => variables.has(name))
  if (only_in_run.length > 0) return { value: null, failure: null, only_in_run }
  try {
    return { value: expression.evaluate({ ...facts }), failure: null, only_in_run }
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error
    return { value: null, failure: error.message, only_in_run }
  }
}
