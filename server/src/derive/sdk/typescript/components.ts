/** The objects of the API as types: those that the SDK uses, and their parts. */
import { moreThanEvent } from '../model/events.ts'
import { type Model, schemaOf } from '../model/model.ts'
import { docComment } from './doc-comment.ts'
import { fieldsText, type Types, typeText } from './type-text.ts'

/** The union of all events, discriminated by `type`. */
export const any_event = 'AtriumEvent'

export class Components implements Types {
  readonly direction = 'answered'
  private readonly model: Model
  private readonly used = new Set<string>()

  constructor(model: Model) {
    this.model = model
  }

  use(component: string): string {
    if (component === this.model.event) return any_event
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
    const schema = schemaOf(this.model, name)
    const comment = docComment(schema.description)
    const more = this.model.event === null ? null : moreThanEvent(schema, schemaOf(this.model, this.model.event))
    if (more !== null) return `${comment}export type ${name} = ${any_event} & ${typeText(more, this)}\n`
    if (schema.properties === undefined) return `${comment}export type ${name} = ${typeText(schema, this)}\n`
    return `${comment}export interface ${name} {\n${fieldsText(schema, this, '  ')}}\n`
  }
}
