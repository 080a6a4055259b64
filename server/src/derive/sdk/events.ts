/** The events as types: one for each type of event, told apart by `type`. */
import { any_event, type Components } from './components.ts'
import { docComment } from './doc-comment.ts'
import type { Document, Schema } from './document.ts'
import { quoted } from './names.ts'
import { fieldsText, typeText } from './type-text.ts'

interface EventKind {
  readonly type: string
  readonly object: string
  /** The fields as they were before are told. */
  readonly changes: boolean
}

export function eventsFile(head: string, document: Document, components: Components): string {
  const kinds = kindsOf(document, components)
  const envelope = envelopeText(components)
  const imported = [...new Set(kinds.map(({ object }) => object))].sort()
  const declarations = `${envelope}
/** Event type → the object that events of this type are about. */
export interface EventObjects {
${kinds.map(({ type, object }) => `  ${quoted(type)}: ${object}\n`).join('')}}

/** The types of events that tell what the changed fields were before. */
export type ChangeEventType =${choices(kinds.filter(({ changes }) => changes).map(({ type }) => type))}

export type EventType = keyof EventObjects

/** What a subscription may name: one type, or all of an object, of an area, or of everything. */
export type EventPattern = EventType${choices(patternsOf(kinds))}

/** The event of one type: \`EventOf<'workflow.task.created'>\`. */
export type EventOf<T extends EventType> = {
  [K in T]: EventEnvelope & {
    type: K
    data: {
      /** What reading the object gave at that commit; of a deletion, the state before it. */
      object: EventObjects[K]
      /** The fields that changed, as they were before. */
      previous_attributes: K extends ChangeEventType ? Partial<EventObjects[K]> | null : null
    }
  }
}[T]

/**
 * Any event. \`switch (event.type)\` narrows it. Types that are added later arrive too: have a \`default\`.
 */
export type ${any_event} = EventOf<EventType>

/** The events that a pattern subscribes to. */
export type EventsMatching<P extends string> = P extends '*'
  ? ${any_event}
  : P extends \`\${infer Prefix}.*\`
    ? EventOf<Extract<EventType, \`\${Prefix}.\${string}\`>>
    : EventOf<Extract<EventType, P>>
`
  return `${head}import type { ${imported.join(', ')} } from './objects.ts'\n\n${declarations}`
}

function kindsOf(document: Document, components: Components): EventKind[] {
  return Object.entries(document.webhooks).flatMap(([type, { post }]) => {
    const narrow = post.requestBody.content['application/json']?.schema.allOf?.[1]
    const { object, previous_attributes } = narrow?.properties?.data?.properties ?? {}
    if (object === undefined) return []
    return [{ type, object: typeText(object, components), changes: previous_attributes?.type !== 'null' }]
  })
}

function envelopeText(components: Components): string {
  const shape: Schema = components.event === null ? {} : components.schema(components.event)
  const { type: _type, data: _data, ...properties } = shape.properties ?? {}
  const comment = docComment('What every event tells, whatever it is about.')
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
