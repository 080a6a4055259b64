/** The events as types: one per event type, discriminated by `type`. */
import { hidden_object } from '../../openapi/webhooks.ts'
import { envelopeOf, patternsOf } from '../model/events.ts'
import { type Model, schemaOf } from '../model/model.ts'
import { any_event, type Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import { quoted } from './names.ts'
import { fieldsText, typeText } from './type-text.ts'

export function eventTypes(model: Model, components: Components): string {
  const kinds = model.events.map((kind) => ({ ...kind, object: typeText(kind.object, components) }))
  const envelope = envelopeText(model, components)
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
export type EventPattern = EventType${choices(patternsOf(model.events))}

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

function envelopeText(model: Model, components: Components): string {
  const shape = envelopeOf(model.event === null ? {} : schemaOf(model, model.event))
  const comment = docComment('The fields of every event.')
  return `${comment}export interface EventEnvelope {\n${fieldsText(shape, components, '  ')}}\n`
}

function choices(texts: readonly string[]): string {
  return texts.length === 0 ? ' never' : texts.map((text) => `\n  | ${quoted(text)}`).join('')
}
