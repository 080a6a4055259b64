/** What starts a run, and the task of the run (contract/16#triggers). */
import { canonicalJson } from '../lib/canonical-json.ts'
import type { NodeOf } from './schema.ts'
import { isRecord } from './shape.ts'
import { isTriggerType, type Sketch, type SketchNode } from './sketch.ts'

/** Whether the runs of a trigger have a task. */
export type HasTask = 'always' | 'sometimes' | 'never'

/** The field of an event's object that names the task, by the noun of the event type. */
const task_fields: Readonly<Record<string, string>> = {
  task: 'id',
  comment: 'task',
  dependency: 'from',
  time_entry: 'task',
}

/** A time entry may have no task. */
const maybe_taskless = 'workflow.time_entry.'

/**
 * The field of an event’s object that names the run’s task; null if it names none. A deleted task is not a run’s task.
 */
export function taskField(eventType: string): string | null {
  if (eventType === 'workflow.task.deleted') return null
  const [, noun = ''] = eventType.split('.')
  return Object.hasOwn(task_fields, noun) ? (task_fields[noun] ?? null) : null
}

/** The id of the task of the run that an event starts. */
export function taskOfEvent(event: {
  readonly type: string
  readonly data: { readonly object: object }
}): string | null {
  const field = taskField(event.type)
  const id: unknown = field === null ? null : (event.data.object as Readonly<Record<string, unknown>>)[field]
  return typeof id === 'string' ? id : null
}

/** The event's object before the update: `before` in expressions, null unless the event is an update. */
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
 * Whether a trigger watches an event, before its `when` is evaluated. If `changed_fields` is set, an update must change
 * one of them (a custom field is `custom_fields.<key>`); other events are not restricted by it.
 */
export function watches({ config }: Pick<NodeOf<'trigger.event'>, 'config'>, { type, data }: WatchedEvent): boolean {
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
  if (type === 'trigger.webhook' || type === 'trigger.form' || type === 'trigger.mail') return 'never'
  if (type === 'trigger.call') return config.takes_task === true ? 'always' : 'never'
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

/** Whether runs have a task, an event, the request of an incoming webhook, the answers of a form, a received mail, and the inputs of a call. */
export interface Beginnings {
  readonly task: HasTask
  readonly event: HasTask
  readonly request: HasTask
  readonly form: HasTask
  readonly mail: HasTask
  readonly call: HasTask
}

/** What the runs of a graph have; `sometimes` if the graph has no triggers. */
export function beginnings(sketch: Sketch): Beginnings {
  const each = triggersOf(sketch).map(beginningOf)
  return {
    task: together(each.map(({ task }) => task)),
    event: together(each.map(({ event }) => event)),
    request: together(each.map(({ request }) => request)),
    form: together(each.map(({ form }) => form)),
    mail: together(each.map(({ mail }) => mail)),
    call: together(each.map(({ call }) => call)),
  }
}

/** What the runs of one trigger have. */
export function beginningOf(trigger: Pick<SketchNode, 'type' | 'config'>): Beginnings {
  return {
    task: hasTask(trigger),
    event: trigger.type === 'trigger.event' ? 'always' : 'never',
    request: trigger.type === 'trigger.webhook' ? 'always' : 'never',
    form: trigger.type === 'trigger.form' ? 'always' : 'never',
    mail: trigger.type === 'trigger.mail' ? 'always' : 'never',
    call: trigger.type === 'trigger.call' ? 'always' : 'never',
  }
}

function together(each: readonly HasTask[]): HasTask {
  const [first = 'sometimes'] = each
  return each.every((one) => one === first) ? first : 'sometimes'
}

/** The setting by which a node acts on the run's own task, as it does if `task` is left out; null if it does not. */
export function subjectSetting({ type, config }: Pick<SketchNode, 'type' | 'config'>): 'task' | 'parent' | null {
  if (setsMany({ type })) return config.parent === '$subject' ? 'parent' : null
  const acts = (type.startsWith('task.') && !type.startsWith('task.create')) || type.startsWith('timer.')
  return acts && (config.task === undefined || config.task === '$subject') ? 'task' : null
}

/** Whether a step creates or changes many tasks. */
export function setsMany({ type }: Pick<SketchNode, 'type'>): boolean {
  return type === 'task.create_many' || type === 'task.update_many'
}

/** Whether a setting, such as `set.title`, is computed for each task of a step: its expressions see the `item`. */
export function isPerTask({ type, config }: Pick<SketchNode, 'type' | 'config'>, setting: string): boolean {
  const isSet = setting === 'set' || setting.startsWith('set.')
  return isSet && (type === 'task.update_many' || (type === 'task.create_many' && config.items !== undefined))
}

/** Whether the value is an object with a template or an expression. */
export function isComputed(value: unknown): boolean {
  return isRecord(value) && (Object.hasOwn(value, '$expr') || Object.hasOwn(value, '$template'))
}
