/** The events as types: one per event type, discriminated by `type`. */

import { hidden_object } from '../openapi/webhooks.ts'
import { any_event, type Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import type { Document, Schema } from './document.ts'
import { quoted } from './names.ts'
import { fieldsText, typeText } from './type-text.ts'

interface EventKind {
  readonly type: string
  readonly object: string
  /** Whether the event has earlier values of changed fields. */
  readonly changes: boolean
}

export function eventTypes(document: Document, components: Components): string {
  const kinds = kindsOf(document, components)
  const envelope = envelopeText(components)
  // A document without events has no hidden objects either.
  const hidden = kinds.length === 0 ? null : components.use(hidden_object)
  return `${envelope}
/** Event type → the object of its events. */
export interface EventObjects {
${kinds.map(({ type, object }) => `  ${quoted(type)}: ${object}\n`).join('')}}

/** The event types with earlier values of changed fields. */
export type ChangeEventType =${choices(kinds.filter(({ changes }) => changes).map(({ type }) => type))}

export type EventType = keyof EventObjects

/** A subscription: one type, all types of an object or an area, or all types. */
export type EventPattern = EventType${choices(patternsOf(kinds))}

/** The event of one type: \`EventOf<'workflow.task.created'>\`. */
export type EventOf<T extends EventType> = {
  [K in T]: EventEnvelope & {
    type: K
    data: {
      /**
       * The object as GET showed it after the commit; of a deleted one, its last state. Only id and kind if the credential
       * or the endpoint may not read it: test for a field first, \`'title' in event.data.object\`.
       */
      object: EventObjects[K]${hidden === null ? '' : ` | ${hidden}`}
      /** Earlier values of the changed fields. */
      previous_attributes: K extends ChangeEventType ? Partial<EventObjects[K]> | null : null
    }
  }
}[T]

/**
 * Any event. \`switch (event.type)\` narrows it. New types may be added: have a \`default\`.
 */
export type ${any_event} = EventOf<EventType>

/** The events that match a pattern. */
export type EventsMatching<P extends string> = P extends '*'
  ? ${any_event}
  : P extends \`\${infer Prefix}.*\`
    ? EventOf<Extract<EventType, \`\${Prefix}.\${string}\`>>
    : EventOf<Extract<EventType, P>>
`
}

function kindsOf(document: Document, components: Components): EventKind[] {
  return Object.entries(document.webhooks).flatMap(([type, { post }]) => {
    const narrow = post.requestBody.content['application/json']?.schema.allOf?.[1]
    const { object, previous_attributes } = narrow?.properties?.data?.properties ?? {}
    // The object, or what is shown of it to readers without its scope.
    const whole = object?.anyOf?.[0]
    if (whole === undefined) return []
    return [{ type, object: typeText(whole, components), changes: previous_attributes?.type !== 'null' }]
  })
}

function envelopeText(components: Components): string {
  const shape: Schema = components.event === null ? {} : components.schema(components.event)
  const { type: _type, data: _data, ...properties } = shape.properties ?? {}
  const comment = docComment('The fields of every event.')
  return `${comment}export interface EventEnvelope {\n${fieldsText({ ...shape, properties }, components, '  ')}}\n`
}

/** `workflow.task.*`, `workflow.*`, `*` */
function patternsOf(kinds: readonly EventKind[]): string[] {
  const patterns = new Set(['*'])
  for (const { type } of kinds) {
    const parts = type.split('.')
    for (let count = 1; count < parts.length; count++) patterns.add(`${parts.slice(0, count).join('.')}.*`)
  }
  return [...patterns].sort()
}

function choices(texts: readonly string[]): string {
  return texts.length === 0 ? ' never' : texts.map((text) => `\n  | ${quoted(text)}`).join('')
}
