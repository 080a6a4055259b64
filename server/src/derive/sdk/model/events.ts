/** The events: what each type's events are about, and the patterns that select them. */
import { canonicalJson } from '../../../lib/canonical-json.ts'
import { type Document, referred, type Schema } from './document.ts'

export interface EventKind {
  readonly type: string
  readonly object: Schema
  /** Whether the event has earlier values of changed fields. */
  readonly changes: boolean
}

/** The component that webhooks narrow: the shape of every event. */
export function eventComponent(document: Document): string | null {
  for (const webhook of Object.values(document.webhooks)) {
    const [base] = webhook.post.requestBody.content['application/json']?.schema.allOf ?? []
    if (base !== undefined) return referred(base)
  }
  return null
}

export function eventKinds(document: Document): EventKind[] {
  return Object.entries(document.webhooks).flatMap(([type, { post }]) => {
    const narrow = post.requestBody.content['application/json']?.schema.allOf?.[1]
    const { object, previous_attributes } = narrow?.properties?.data?.properties ?? {}
    // The object, or what is shown of it to readers without its scope.
    const whole = object?.anyOf?.[0]
    return whole === undefined ? [] : [{ type, object: whole, changes: previous_attributes?.type !== 'null' }]
  })
}

/** `workflow.task.*`, `workflow.*`, `*` */
export function patternsOf(kinds: readonly EventKind[]): string[] {
  const patterns = new Set(['*'])
  for (const { type } of kinds) {
    const parts = type.split('.')
    for (let count = 1; count < parts.length; count++) patterns.add(`${parts.slice(0, count).join('.')}.*`)
  }
  return [...patterns].sort()
}

/** The fields that every event has whatever its type: all but type and data. */
export function envelopeOf(event: Schema): Schema {
  const { type: _type, data: _data, ...properties } = event.properties ?? {}
  return { ...event, properties }
}

/** The fields of an object beyond those of an event, if it has all of an event's fields; otherwise `null`. */
export function moreThanEvent({ properties = {}, required }: Schema, event: Schema): Schema | null {
  const fields = event.properties ?? {}
  const isEvent = Object.entries(fields).every(
    ([field, schema]) => canonicalJson(properties[field] ?? null) === canonicalJson(schema),
  )
  if (!isEvent) return null
  const more = Object.entries(properties).filter(([field]) => fields[field] === undefined)
  return { type: 'object', properties: Object.fromEntries(more), ...(required === undefined ? {} : { required }) }
}
