/** Warnings: what is allowed but may be a mistake (contract/16#preview). */
import { certainOutputs } from './certainty.ts'
import type { NodeType } from './schema.ts'
import { at, isRecord } from './shape.ts'
import { enclosing, portsOf, type Sketch, type SketchNode } from './sketch.ts'
import { beginnings, eventTypesOf, subjectSetting, triggersOf } from './triggers.ts'
import type { Use } from './validate/expressions.ts'

type WarningCode =
  | 'writes_what_it_watches'
  | 'output_may_be_missing'
  | 'task_may_be_missing'
  | 'event_may_be_missing'
  | 'request_may_be_missing'
  | 'form_may_be_missing'
  | 'mail_may_be_missing'
  | 'call_may_be_missing'
  | 'failure_goes_nowhere'

export interface Warning {
  readonly code: WarningCode
  readonly param: string
  readonly message: string
}

/** The warnings of a graph without faults. */
export function warningsOf(sketch: Sketch, uses: readonly Use[]): readonly Warning[] {
  return [
    ...watchedWrites(sketch),
    ...missingOutputs(sketch, uses),
    ...missingSubjects(sketch, uses),
    ...lostFailures(sketch),
  ]
}

const writes: Readonly<Partial<Record<NodeType, readonly string[]>>> = {
  'task.update': ['workflow.task.updated'],
  'task.move': ['workflow.task.moved'],
  'task.complete': ['workflow.task.completed'],
  'task.assign': ['workflow.task.updated'],
  'task.label': ['workflow.task.updated'],
  'task.comment': ['workflow.comment.created'],
  'task.create': ['workflow.task.created'],
  'task.create_from_template': ['workflow.task.created'],
  'task.create_many': ['workflow.task.created'],
  'task.update_many': ['workflow.task.updated'],
  'task.update_parent': ['workflow.task.updated'],
  'task.add_dependency': ['workflow.dependency.created'],
  'timer.start': ['workflow.time_entry.started'],
  'timer.stop': ['workflow.time_entry.stopped'],
}

const updates: ReadonlySet<NodeType> = new Set(['task.update', 'task.update_many', 'task.update_parent'])

/** A parent counts its subtasks, so that new ones change it. */
function countsAtParent({ type, config }: SketchNode): boolean {
  return type === 'task.create_many' && config.parent !== undefined && config.parent !== null
}

function eventsOf(node: SketchNode): readonly string[] {
  const { type, config } = node
  const sets_status = updates.has(type) && isRecord(config.set) && config.set.status !== undefined
  return [
    ...(writes[type] ?? []),
    ...(sets_status ? ['workflow.task.completed', 'workflow.task.reopened'] : []),
    ...(countsAtParent(node) ? ['workflow.task.updated'] : []),
  ]
}

/** The task fields that a node changes, as `changed_fields` of a trigger names them. */
function fieldsOf(node: SketchNode): readonly string[] {
  const { type, config } = node
  if (type === 'task.assign') return ['assignee']
  if (type === 'task.label') return ['labels']
  // Its other fields are those of new tasks.
  if (type === 'task.create_many') return countsAtParent(node) ? ['subtask_count', 'subtask_done_count'] : []
  return isRecord(config.set) ? Object.keys(config.set) : []
}

function watchedWrites(sketch: Sketch): Warning[] {
  return triggersOf(sketch).flatMap((trigger) => {
    const watched = eventTypesOf(trigger.config)
    const fields = Array.isArray(trigger.config.changed_fields) ? trigger.config.changed_fields : []
    return sketch.nodes.flatMap((node) => {
      const made = eventsOf(node).find((event) => watched.includes(event) && isWatched(event, node, fields))
      if (made === undefined) return []
      const message = `${node.path} causes ${made}, which the trigger ${trigger.id} watches: the flow may start itself.`
      return [{ code: 'writes_what_it_watches' as const, param: node.path, message }]
    })
  })
}

function isWatched(event: string, node: SketchNode, fields: readonly unknown[]): boolean {
  if (!event.endsWith('.updated') || fields.length === 0) return true
  return fieldsOf(node).some((field) => fields.includes(field))
}

function missingOutputs(sketch: Sketch, uses: readonly Use[]): Warning[] {
  const certain = certainOutputs(sketch)
  return uses.flatMap(({ node, path, expression }) => {
    const missing = [...expression.names.steps.keys()].filter((step) => !certain(node.id, step))
    return missing
      .filter((step) => !readsStatus(expression.source, step))
      .map((step) => ({
        code: 'output_may_be_missing' as const,
        param: path,
        message: `${path} uses the output of ${step}, which may be skipped or fail; check steps.${step}.status first.`,
      }))
  })
}

/** An expression that reads the status is assumed to handle a missing output. */
function readsStatus(source: string, step: string): boolean {
  return source.includes(`steps.${step}.status`)
}

function missingSubjects(sketch: Sketch, uses: readonly Use[]): Warning[] {
  const { task, event, request, form, mail, call } = beginnings(sketch)
  const warnings: Warning[] = []
  const warn = (code: WarningCode, param: string, what: string) =>
    warnings.push({ code, param, message: `${param} needs ${what}, which not every run of this flow has.` })
  for (const node of task === 'sometimes' ? sketch.nodes : []) {
    if (subjectSetting(node) !== null) warn('task_may_be_missing', at(node.path, 'config'), 'a task')
  }
  for (const { node, path, expression } of uses) {
    if (!sketch.byId.has(node.id) || triggersOf(sketch).includes(node)) continue
    const { variables } = expression.names
    if (task === 'sometimes' && variables.has('task')) warn('task_may_be_missing', path, 'a task')
    if (event === 'sometimes' && (variables.has('event') || variables.has('before'))) {
      warn('event_may_be_missing', path, 'an event')
    }
    if (request === 'sometimes' && variables.has('request')) warn('request_may_be_missing', path, 'a request')
    if (form === 'sometimes' && variables.has('form')) warn('form_may_be_missing', path, 'the answers of a form')
    if (mail === 'sometimes' && variables.has('mail')) warn('mail_may_be_missing', path, 'a mail')
    if (call === 'sometimes' && variables.has('call')) warn('call_may_be_missing', path, 'the inputs of a call')
  }
  return warnings
}

function lostFailures(sketch: Sketch): Warning[] {
  return sketch.nodes.flatMap((node) => {
    if (!portsOf(node).includes('error') || node.type === 'switch') return []
    if (sketch.edges.some(({ source, port }) => source === node.id && port === 'error')) return []
    const inBody = enclosing(sketch, node.id).length > 1 ? 'item' : 'run'
    const message = `${node.path} branches when it fails, but no edge leaves its port error, so the ${inBody} ends there.`
    return [{ code: 'failure_goes_nowhere' as const, param: at(node.path, 'on_error'), message }]
  })
}
