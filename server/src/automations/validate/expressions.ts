/** Faults of a graph's expressions and templates: syntax, types, and names that do not exist where they are used. */
import type { Environment } from '@marcbachmann/cel-js'
import type { Fault } from '../../api/declare/errors.ts'
import { callTypes } from '../calls.ts'
import type { FieldScope, ValueShape } from '../expressions/fields.ts'
import { namesWith, task_type } from '../expressions/types.ts'
import { type Compiled, compileExpression, type Expression } from '../expressions.ts'
import { formTypes } from '../forms.ts'
import { automation_limits } from '../limits.ts'
import { stepsBefore } from '../order.ts'
import { outputType } from '../outputs.ts'
import type { JsonKind } from '../schema-values.ts'
import { type Computed, isRecord } from '../shape.ts'
import { enclosing, isTriggerType, type Sketch, type SketchNode } from '../sketch.ts'
import { splitTemplate } from '../templates.ts'
import { beginningOf, beginnings, isPerTask, setsMany } from '../triggers.ts'

/** An expression or template with the node that contains it. */
export interface Placed extends Computed {
  readonly node: SketchNode
}

/** A valid expression with its node and path. */
export interface Use {
  readonly node: SketchNode
  readonly path: string
  readonly expression: Expression
}

export interface CheckedExpressions {
  readonly faults: readonly Fault[]
  readonly uses: readonly Use[]
}

function outputsOf(sketch: Sketch): FieldScope['outputs'] {
  const steps = sketch.nodes.filter(({ type }) => !isTriggerType(type))
  return Object.fromEntries(steps.map((node) => [node.id, outputType(node)]))
}

/** The environment of a graph's expressions, steps included. */
export function namesOf(sketch: Sketch): Environment {
  const form = sketch.nodes.find(({ type }) => type === 'trigger.form')
  const outputs = outputsOf(sketch)
  const call = sketch.nodes.find(({ type }) => type === 'trigger.call')
  return namesWith(outputs, formTypes(form?.config.fields), callTypes(call?.config.inputs))
}

/** The fields that expressions in this setting of a node can name. */
export function fieldsAt(sketch: Sketch, names: Environment, node: SketchNode, setting: string): FieldScope {
  return { outputs: outputsOf(sketch), item: itemAt(sketch, names, node, setting) }
}

/** The item of a step for many tasks, or of the innermost loop around the node. */
function itemAt(sketch: Sketch, names: Environment, node: SketchNode, setting: string): ValueShape {
  const isMany = isPerTask(node, setting)
  if (isMany && node.type === 'task.update_many') return { fields: task_type }
  const lists = [...(isMany ? [node] : []), ...enclosing(sketch, node.id).slice(1)]
  const outputs = outputsOf(sketch)
  // From the outermost list to the innermost: the items of one may be lists for the next.
  return lists.reduceRight<ValueShape>((item, { config: { items } }) => {
    if (!isRecord(items) || typeof items.$expr !== 'string') return undefined
    const compiled = compileExpression(items.$expr, names, { outputs, item })
    const shape = compiled.ok ? compiled.expression.shape : undefined
    return shape !== undefined && 'items' in shape ? shape.items : undefined
  }, undefined)
}

export function checkExpressions(sketch: Sketch, placed: readonly Placed[]): CheckedExpressions {
  const faults: Fault[] = []
  const uses: Use[] = []
  const sources = placed.flatMap((one) => sourcesOf(one, faults))
  if (isTooMuch(sources)) return { faults: [...faults, too_much], uses }
  const names = namesOf(sketch)
  const places = new Places(sketch, names)
  for (const { source, start, gives, placed: one } of sources) {
    const { available, fields } = places.at(one)
    const compiled = compileExpression(source, names, fields)
    const fault = compiled.ok ? misuse(compiled.expression, gives, available) : compiled.fault
    if (fault !== undefined) faults.push(said(one, fault.message, start + fault.start))
    else if (compiled.ok) uses.push({ node: one.node, path: one.path, expression: compiled.expression })
  }
  return { faults, uses }
}

interface Place {
  readonly available: AvailableNames
  readonly fields: FieldScope
}

/** What the expressions of each node can use. In most nodes that is the same in all settings. */
class Places {
  readonly #sketch: Sketch
  readonly #names: Environment
  readonly #found = new Map<string, Place>()

  constructor(sketch: Sketch, names: Environment) {
    this.#sketch = sketch
    this.#names = names
  }

  at({ node, path }: Placed): Place {
    const setting = settingOf(node, path)
    const key = `${node.id} ${isPerTask(node, setting)}`
    const found = this.#found.get(key) ?? {
      available: availableNames(this.#sketch, node, setting),
      fields: fieldsAt(this.#sketch, this.#names, node, setting),
    }
    this.#found.set(key, found)
    return found
  }
}

/** The setting of a path: `graph.nodes[3].config.set.title` is `set.title`. */
function settingOf({ path: node }: SketchNode, path: string): string {
  return path.slice(`${node}.config.`.length)
}

const { automation_expressions_max: count_max, automation_expressions_chars_max: chars_max } = automation_limits

const too_much: Fault = {
  param: 'graph.nodes',
  message: `graph.nodes have more than ${count_max} expressions, or more than ${chars_max} characters of them.`,
}

function isTooMuch(sources: readonly Source[]): boolean {
  return sources.length > count_max || sources.reduce((chars, { source }) => chars + source.length, 0) > chars_max
}

function said({ path, form }: Computed, message: string, start: number): Fault {
  return { param: path, message: `${path}, character ${start + 1} of the ${form}: ${message}.` }
}

interface Source {
  readonly placed: Placed
  readonly source: string
  readonly start: number
  readonly gives: readonly JsonKind[]
}

const printable: readonly JsonKind[] = ['string', 'int', 'double', 'bool', 'null', 'list', 'map']

function sourcesOf(one: Placed, faults: Fault[]): Source[] {
  if (one.form === 'expression') return [{ source: one.source, start: 0, gives: one.gives, placed: one }]
  const split = splitTemplate(one.source)
  if (split.ok)
    return split.parts.flatMap((part) => ('text' in part ? [] : [{ ...part, gives: printable, placed: one }]))
  faults.push(said(one, split.message, split.start))
  return []
}

type Misused = Extract<Compiled, { ok: false }>['fault']

/** What the expressions of a node can use: the reason for each name that is missing. */
export interface AvailableNames {
  readonly missing: ReadonlyMap<string, string>
  readonly missingStep: (id: string) => string | undefined
}

/** `setting` is where the expression is in the node's config, such as `set.title`. */
export function availableNames(sketch: Sketch, node: SketchNode, setting: string): AvailableNames {
  const inRun = !isTriggerType(node.type)
  const { task, event, request, form, mail, call } = inRun ? beginnings(sketch) : beginningOf(node)
  const missing = new Map<string, string>()
  if (task === 'never') missing.set('task', 'task is not available, because no trigger of the flow has a task')
  for (const name of event === 'never' ? ['event', 'before'] : []) {
    missing.set(name, `${name} is not available, because no event starts the run`)
  }
  if (request === 'never') {
    missing.set('request', 'request is not available, because no incoming webhook starts the run')
  }
  if (form === 'never') missing.set('form', 'form is not available, because no form starts the run')
  if (mail === 'never') missing.set('mail', 'mail is not available, because no mail starts the run')
  if (call === 'never') missing.set('call', 'call is not available, because no other flow starts the run')
  for (const name of inRun ? [] : ['run', 'steps'])
    missing.set(name, `A trigger cannot use ${name}, because no run has started`)
  const hasItem = isPerTask(node, setting) || (inRun && enclosing(sketch, node.id).length > 1)
  for (const name of hasItem ? [] : ['item', 'index']) {
    missing.set(
      name,
      `${name} is only available ${setsMany(node) ? 'in `set` with `items`, and ' : ''}inside the body of a for_each`,
    )
  }
  const before = inRun ? stepsBefore(sketch, node.id) : new Set<string>()
  return { missing, missingStep: (id) => (before.has(id) ? undefined : behind(sketch, node, id)) }
}

function behind(sketch: Sketch, node: SketchNode, id: string): string {
  const parent = sketch.byId.get(id)?.parent ?? null
  const around = enclosing(sketch, node.id).map((one) => one.id)
  if (parent !== null && !around.includes(parent)) return `steps.${id} can be used only in the body of ${parent}`
  return `steps.${id} does not come before ${node.id}`
}

/** Why a compiled expression cannot be used at its node; undefined if it can. */
export function misuse(
  expression: Expression,
  gives: readonly JsonKind[],
  available: AvailableNames | undefined,
): Misused | undefined {
  for (const [name, start] of expression.names.variables) {
    const message = available?.missing.get(name)
    if (message !== undefined) return { message, start }
  }
  for (const [id, start] of expression.names.steps) {
    const message = available?.missingStep(id)
    if (message !== undefined) return { message, start }
  }
  const given = expression.gives
  if (given === undefined || gives.includes(given)) return undefined
  return { message: `It gives ${a(given)}, but ${gives.map(a).join(' or ')} is required`, start: 0 }
}

const said_kinds: Readonly<Record<JsonKind, string>> = {
  string: 'a string',
  int: 'an int',
  double: 'a double',
  bool: 'a bool',
  null: 'null',
  list: 'a list',
  map: 'an object',
}

function a(kind: JsonKind): string {
  return said_kinds[kind]
}
