/**
 * What a formula of a node can name, with types, for completion in an editor: the variables of the flow's triggers and the
 * outputs of the steps before the node (contract/16#variables).
 */

import { callTypes } from './calls.ts'
import {
  celType,
  comment_type,
  dependency_type,
  event_type,
  flow_type,
  mail_type,
  named_types,
  type ObjectType,
  org_type,
  output_types,
  request_type,
  run_type,
  subject_type,
  task_type,
  time_entry_type,
} from './expressions/types.ts'
import { formTypes } from './forms.ts'
import { automation_limits } from './limits.ts'
import { outputType } from './outputs.ts'
import { isTriggerType, type Sketch, type SketchNode } from './sketch.ts'
import { eventTypesOf } from './triggers.ts'
import { availableNames, fieldsAt, namesOf } from './validate/expressions.ts'

export interface FormulaName {
  /** As it is written: `task.title`, `steps.ask.output.text`. */
  readonly name: string
  /** Its CEL type; `object` if names below it follow. */
  readonly type: string
}

/** The objects of events by the noun of the event type. */
const event_objects: Readonly<Record<string, ObjectType>> = {
  task: task_type,
  comment: comment_type,
  dependency: dependency_type,
  time_entry: time_entry_type,
}

/**
 * The names that a formula can use in this setting of a node, such as `set.title`, in the order of the variables; at most
 * `automation_formula_names_max`. The graph may still have faults.
 */
export function formulaNames(sketch: Sketch, node: SketchNode, setting: string): readonly FormulaName[] {
  const available = availableNames(sketch, node, setting)
  const form = sketch.nodes.find(({ type }) => type === 'trigger.form')
  const call = sketch.nodes.find(({ type }) => type === 'trigger.call')
  const object = eventObject(sketch, node)
  const variables: Readonly<Record<string, string | ObjectType>> = {
    task: subject_type,
    event: object === null ? event_type : { ...event_type, data: { ...event_type.data, object } },
    before: object ?? 'dyn',
    request: request_type,
    form: formTypes(form?.config.fields),
    mail: mail_type,
    call: callTypes(call?.config.inputs),
    item: itemType(sketch, node, setting),
    index: 'int',
    now: 'int',
    flow: flow_type,
    run: run_type,
    org: org_type,
  }
  const names = Object.entries(variables).flatMap(([name, type]) =>
    available.missing.has(name) ? [] : namesOfType(name, type),
  )
  const before = isTriggerType(node.type)
    ? []
    : sketch.nodes.filter(({ id, type }) => !isTriggerType(type) && available.missingStep(id) === undefined)
  return [...names, ...before.flatMap(namesOfStep)].slice(0, automation_limits.automation_formula_names_max)
}

function itemType(sketch: Sketch, node: SketchNode, setting: string): string | ObjectType {
  const { item } = fieldsAt(sketch, namesOf(sketch), node, setting)
  if (item === undefined) return 'dyn'
  if ('scalar' in item) return item.scalar
  return 'fields' in item ? item.fields : 'list<dyn>'
}

/** The object of the events that can start a run, if all triggers watch the same kind of object; null otherwise. */
function eventObject(sketch: Sketch, node: SketchNode): ObjectType | null {
  const triggers = isTriggerType(node.type) ? [node] : sketch.nodes.filter(({ type }) => type === 'trigger.event')
  const nouns = new Set(triggers.flatMap(({ config }) => eventTypesOf(config).map((type) => type.split('.')[1] ?? '')))
  const [noun = ''] = nouns
  return nouns.size === 1 && Object.hasOwn(event_objects, noun) ? (event_objects[noun] ?? null) : null
}

function namesOfStep(step: SketchNode): readonly FormulaName[] {
  const output = outputType(step)
  const type: ObjectType = { status: 'string', ...(output !== null && { output: output_types[output] }) }
  return namesOfType(`steps.${step.id}`, type)
}

/** The name itself and those below it; the types have no cycles. */
function namesOfType(name: string, type: string | ObjectType): readonly FormulaName[] {
  const fields = typeof type === 'string' ? named_types[type] : type
  if (fields === undefined) return [{ name, type: celType(String(type)) }]
  const inner = Object.entries(fields).flatMap(([field, inside]) => namesOfType(`${name}.${field}`, inside))
  return [{ name, type: 'object' }, ...inner]
}
