/** What a step changed, read off the events that tell of it: field by field, for the journal and for previews. */
import type { EventType } from '../../../api/event.ts'
import type { PublicObject } from '../../../api/noun.ts'
import { limits } from '../../../lib/limits.ts'
import type { Change } from '../automation_run.ts'

/** Something that a step told of, as it is handed to `emit`. */
export interface Told {
  readonly type: EventType
  readonly after: object
  readonly before: object | undefined
}

/** Fields that say what is said elsewhere, or that change with every change. */
const silent = new Set(['id', 'object', 'created', 'updated', 'revision'])

/** The change that an event tells of. Of what is new every field is a change from null; of what is gone none is. */
export function changeOf({ type, after, before }: Told): Change {
  const { id, object, ...fields } = after as PublicObject & Readonly<Record<string, unknown>>
  const isGone = type.type.endsWith('.deleted')
  const changed = isGone ? [] : Object.entries(fields).filter(([name]) => !silent.has(name))
  const earlier = before as Readonly<Record<string, unknown>> | undefined
  const differing = changed
    .map(([name, to]) => [name, { from: earlier?.[name] ?? null, to }] as const)
    .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([name, { from, to }]) => [name, { from: cut(from), to: cut(to) }])
  return { type: type.type, object, id, fields: Object.fromEntries(differing) }
}

/** A value as far as a journal keeps it: what is too long is the beginning of its text. */
function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === undefined || text.length <= limits.automation_change_chars_max) return value
  return `${text.slice(0, limits.automation_change_chars_max).toWellFormed()}…`
}
