/** Derives a step's changes from its events, field by field, for the journal and for previews. */
import type { EventType } from '../../../api/declare/event.ts'
import type { PublicObject } from '../../../api/declare/noun.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Change } from '../automation_run.ts'

/** An event of a step, as passed to `emit`. */
export interface EmittedEvent {
  readonly type: EventType
  readonly after: object
  readonly before: object | undefined
}

const { automation_change_chars_max, automation_many_change_chars_max } = automation_limits

/** The changes of a step. Those of a step for many tasks are shortened further, because there may be a hundred. */
export function changesOf(type: string, emitted: readonly EmittedEvent[]): Change[] {
  const isMany = type === 'task.create_many' || type === 'task.update_many'
  return emitted.map((each) => changeOf(each, isMany ? automation_many_change_chars_max : automation_change_chars_max))
}

/** Fields that are shown elsewhere or change with every change. */
const silent = new Set(['id', 'object', 'created', 'updated', 'revision'])

/**
 * The change that an event describes. For a new object, every field changes from null; for a deleted object, none does.
 */
export function changeOf(
  { type, after, before }: EmittedEvent,
  chars_max: number = automation_change_chars_max,
): Change {
  const { id, object, ...fields } = after as PublicObject & Readonly<Record<string, unknown>>
  const isGone = type.type.endsWith('.deleted')
  const changed = isGone ? [] : Object.entries(fields).filter(([name]) => !silent.has(name))
  const earlier = before as Readonly<Record<string, unknown>> | undefined
  const differing = changed
    .map(([name, to]) => [name, { from: earlier?.[name] ?? null, to }] as const)
    .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([name, { from, to }]) => [name, { from: cutValue(from, chars_max), to: cutValue(to, chars_max) }])
  return { type: type.type, object, id, fields: Object.fromEntries(differing) }
}

/** Shortens a long value to the beginning of its text. */
export function cutValue(value: unknown, chars_max: number = automation_change_chars_max): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === undefined || text.length <= chars_max) return value
  return `${text.slice(0, chars_max).toWellFormed()}…`
}
