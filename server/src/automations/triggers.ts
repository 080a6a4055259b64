/** What starts a run, and which task the run is then about (decisions §16). */
import { canonicalJson } from '../lib/canonical-json.ts'
import type { NodeOf } from './schema.ts'
import { isRecord } from './shape.ts'
import { isTriggerType, type Sketch, type SketchNode } from './sketch.ts'

/** Whether the runs of a trigger have a task. */
export type HasTask = 'always' | 'sometimes' | 'never'

/** By the noun of an event's type: the field of its object that names the task. */
const task_fields: Readonly<Record<string, string>> = {
  task: 'id',
  comment: 'task',
  dependency: 'from',
  time_entry: 'task',
}

/** A time entry may be of no task. */
const maybe_taskless = 'workflow.time_entry.'

/** The field of an event's object that names the run's task, `null` where there is none: a deleted task is no task. */
export function taskField(eventType: string): string | null {
  if (eventType === 'workflow.task.deleted') return null
  const [, noun = ''] = eventType.split('.')
  return Object.hasOwn(task_fields, noun) ? (task_fields[noun] ?? null) : null
}

/** The id of the task that an event starts a run about. */
export function taskOfEvent(event: {
  readonly type: string
  readonly data: { readonly object: object }
}): string | null {
  const field = taskField(event.type)
  const id: unknown = field === null ? null : (event.data.object as Readonly<Record<string, unknown>>)[field]
  return typeof id === 'string' ? id : null
}

/** The object of an event as it was before: `before` in expressions, `null` unless the event is an update. */
export function beforeOfEvent(event: {
  readonly data: { readonly object: object; readonly previous_attributes: object | null }
}): Record<string, unknown> | null {
  const { object, previous_attributes } = event.data
  return previous_attributes === null ? null : { ...object, ...previous_attributes }
}

interface WatchedEvent {
  readonly type: string
  readonly data: { readonly object: object; readonly previous_attributes: object | null }
}

/**
 * Whether a trigger watches an event, before its `when` is asked. `changed_fields` ask that one of them changed (a custom
 * field as `custom_fields.<key>`); they say nothing about events that are no updates.
 */
export function watches({ config }: NodeOf<'trigger.event'>, { type, data }: WatchedEvent): boolean {
  if (!config.event_types.includes(type)) return false
  const { changed_fields } = config
  if (changed_fields === undefined || changed_fields.length === 0 || data.previous_attributes === null) return true
  const before = data.previous_attributes as Record<string, unknown>
  return changed_fields.some((field) => Object.hasOwn(before, field) || isCustomChange(field, before, data.object))
}

function isCustomChange(field: string, before: Record<string, unknown>, after: object): boolean {
  const [name, key, ...more] = field.split('.')
  if (name !== 'custom_fields' || key === undefined || more.length > 0 || !isRecord(before.custom_fields)) return false
  const now = (after as Record<string, unknown>).custom_fields
  return (
    canonicalJson([before.custom_fields[key] ?? null]) !== canonicalJson([(isRecord(now) ? now[key] : null) ?? null])
  )
}

/** Whether the runs that a trigger starts have a task. */
export function hasTask({ type, config }: Pick<SketchNode, 'type' | 'config'>): HasTask {
  if (type === 'trigger.schedule') return config.task_query === undefined ? 'never' : 'always'
  if (type !== 'trigger.event') return 'always'
  const types = eventTypesOf(config)
  if (types.length === 0) return 'sometimes'
  if (!types.some((one) => taskField(one) !== null)) return 'never'
  return types.every((one) => taskField(one) !== null && !one.startsWith(maybe_taskless)) ? 'always' : 'sometimes'
}

export function eventTypesOf(config: Readonly<Record<string, unknown>>): string[] {
  const types: unknown = config.event_types
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
}

export function triggersOf(sketch: Sketch): readonly SketchNode[] {
  return sketch.nodes.filter(({ type }) => isTriggerType(type))
}

/** Whether the runs of a graph have a task, and an event; without triggers nobody can tell. */
export function beginnings(sketch: Sketch): { readonly task: HasTask; readonly event: HasTask } {
  const triggers = triggersOf(sketch)
  return {
    task: together(triggers.map(hasTask)),
    event: together(triggers.map(({ type }) => (type === 'trigger.event' ? 'always' : 'never'))),
  }
}

function together(each: readonly HasTask[]): HasTask {
  const [first = 'sometimes'] = each
  return each.every((one) => one === first) ? first : 'sometimes'
}

/** Whether a node's `task` is the run's own: that is what it is when it is left out. */
export function actsOnSubject({ type, config }: SketchNode): boolean {
  const acts = (type.startsWith('task.') && !type.startsWith('task.create')) || type.startsWith('timer.')
  return acts && (config.task === undefined || config.task === '$subject')
}

/** Whether the value is an object with a template or an expression. */
export function isComputed(value: unknown): boolean {
  return isRecord(value) && (Object.hasOwn(value, '$expr') || Object.hasOwn(value, '$template'))
}
