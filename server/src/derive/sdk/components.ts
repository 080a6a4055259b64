/** The objects of the API as types: those that the SDK uses, and their parts. */
import { canonicalJson } from '../../lib/canonical-json.ts'
import { docComment } from './doc-comment.ts'
import { type Document, referred, type Schema } from './document.ts'
import { fieldsText, type Types, typeText } from './type-text.ts'

/** The union of all events, discriminated by `type`. */
export const any_event = 'AtriumEvent'

export class Components implements Types {
  readonly direction = 'answered'
  private readonly document: Document
  /** The component that webhooks narrow: the shape of every event. */
  readonly event: string | null
  private readonly used = new Set<string>()

  constructor(document: Document) {
    this.document = document
    this.event = narrowed(document)
  }

  use(component: string): string {
    if (component === this.event) return any_event
    this.used.add(component)
    return component
  }

  /** The same names, for requests. */
  sent(): Types {
    return { direction: 'sent', use: (component) => this.use(component) }
  }

  /** The types used so far that a text contains, for its imports. */
  named(text: string): string[] {
    const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|'[^'\n]*'/g, '')
    return [...this.used].filter((name) => new RegExp(`\\b${name}\\b`).test(code)).sort()
  }

  schema(component: string): Schema {
    const schema = this.document.components.schemas[component]
    if (schema === undefined) throw new Error(`the document has no schema ${component}`)
    return schema
  }

  /** The plain form of an expanded object, such as `Task` for `ExpandedTask`; `null` if it has none. */
  plain(schema: Schema): string | null {
    const name = referred(schema)?.match(/^Expanded(\w+)$/)?.[1]
    return name !== undefined && this.document.components.schemas[name] !== undefined ? name : null
  }

  /** The file with all types used so far, the types that they use, and the events. Both refer to each other. */
  file(head: string, events: string): string {
    const texts = new Map<string, string>()
    for (let size = -1; size !== texts.size; ) {
      size = texts.size
      for (const name of this.used) if (!texts.has(name)) texts.set(name, this.declaration(name))
    }
    const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
    return head + [...sorted, events].join('\n')
  }

  private declaration(name: string): string {
    const schema = this.schema(name)
    const comment = docComment(schema.description)
    const more = this.moreThanEvent(schema)
    if (more !== null) return `${comment}export type ${name} = ${any_event} & ${typeText(more, this)}\n`
    if (schema.properties === undefined) return `${comment}export type ${name} = ${typeText(schema, this)}\n`
    return `${comment}export interface ${name} {\n${fieldsText(schema, this, '  ')}}\n`
  }

  /** The fields of an object beyond those of an event, if it has all of an event's fields; otherwise `null`. */
  private moreThanEvent({ properties = {}, required }: Schema): Schema | null {
    const event = this.event === null ? {} : (this.schema(this.event).properties ?? {})
    const isEvent = Object.entries(event).every(
      ([field, schema]) => canonicalJson(properties[field] ?? null) === canonicalJson(schema),
    )
    if (this.event === null || !isEvent) return null
    const more = Object.entries(properties).filter(([field]) => event[field] === undefined)
    return { type: 'object', properties: Object.fromEntries(more), ...(required === undefined ? {} : { required }) }
  }
}

function narrowed(document: Document): string | null {
  for (const webhook of Object.values(document.webhooks)) {
    const [base] = webhook.post.requestBody.content['application/json']?.schema.allOf ?? []
    if (base !== undefined) return referred(base)
  }
  return null
}
