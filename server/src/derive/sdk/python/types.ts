/**
 * JSON Schema as Python. Objects are TypedDicts, each with a name, because Python has no type of an object without one:
 * that of an inner object is its owner's and its field's. Enumerations are open in answers, because new values must not break a
 * client (contract/01#open-vocabularies), and closed in requests. A schema without a Python equivalent is `Any`.
 */
import { canonicalJson } from '../../../lib/canonical-json.ts'
import { pascal } from '../../openapi/json.ts'
import { referred, type Schema } from '../model/document.ts'
import { type Model, schemaOf } from '../model/model.ts'
import { boundedText } from '../model/parameters.ts'
import { docstring, isDeclarable, quoted } from './text.ts'

/** The union of all events, discriminated by `type`. */
export const any_event = 'AtriumEvent'

export type Direction = 'answered' | 'sent'

interface Declared {
  readonly text: string
  /** Aliases come last; they may name every class. */
  readonly isAlias: boolean
}

export class Types {
  private readonly model: Model
  private readonly declared = new Map<string, Declared>()
  /** The names of inner objects, by what they are: an object that is declared twice is one type. */
  private readonly inner = new Map<string, string>()
  private readonly waiting: string[] = []

  constructor(model: Model) {
    this.model = model
  }

  /** The names declared so far. */
  get names(): readonly string[] {
    return [...this.declared.keys()]
  }

  /** The type of a schema. `name` is that of an object in it. */
  text(schema: Schema, direction: Direction, name: string): string {
    const component = referred(schema)
    if (component !== null) return this.use(component)
    if (schema.const !== undefined) return literals([schema.const])
    if (schema.enum !== undefined) return words(schema.enum, direction)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives !== undefined) return union(alternatives.map((each) => this.text(each, direction, name)))
    if (schema.allOf !== undefined) throw new Error(`${name} is an intersection, which Python has no type for`)
    if (Array.isArray(schema.type))
      return union(schema.type.map((type: string) => this.text({ ...schema, type }, direction, name)))
    return this.ofType(schema, direction, name)
  }

  /** The name of a component, which is declared. */
  use(component: string): string {
    if (component === this.model.event) return any_event
    if (!this.declared.has(component)) {
      this.declared.set(component, { text: '', isAlias: false })
      this.waiting.push(component)
    }
    return component
  }

  /** Declares a TypedDict under this name, or the next free one with the same start. */
  object(schema: Schema, direction: Direction, wanted: string): string {
    const key = canonicalJson({ schema, direction, wanted })
    const known = this.inner.get(key)
    if (known !== undefined) return known
    let name = wanted
    for (let i = 2; this.declared.has(name) || this.model.schemas[name] !== undefined; i++) name = `${wanted}${i}`
    this.inner.set(key, name)
    this.define(name, schema, direction)
    return name
  }

  /** All declarations: classes by name, then aliases. */
  file(): string {
    for (let name = this.waiting.shift(); name !== undefined; name = this.waiting.shift())
      this.define(name, schemaOf(this.model, name), 'answered')
    const sorted = [...this.declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, declared]) => declared)
    const [classes, aliases] = [false, true].map((isAlias) => sorted.filter((each) => each.isAlias === isAlias))
    return [...(classes ?? []), ...(aliases ?? [])].map(({ text }) => text).join('\n\n')
  }

  private define(name: string, schema: Schema, direction: Direction): void {
    this.declared.set(name, { text: '', isAlias: false })
    const isAlias = schema.properties === undefined
    const text = isAlias
      ? `${name}: TypeAlias = ${quoted(this.text(schema, direction, `${name}Item`))}\n`
      : this.typedDict(name, schema, direction)
    this.declared.set(name, { text, isAlias })
  }

  /** `total`: whether fields are required at all. `owner`: what the types of inner objects are named after. */
  typedDict(name: string, schema: Schema, direction: Direction, total = true, owner = name): string {
    const { properties = {}, required = [], description } = schema
    const fields = Object.entries(properties).map(([field, inner]) => {
      const type = this.text(inner, direction, `${owner}${pascal(field.replaceAll(/\W/g, ''))}`)
      const isRequired = required.includes(field) || !total
      const said = direction === 'sent' ? boundedText(inner) : inner.description
      return { field, type: isRequired ? type : `NotRequired[${type}]`, said }
    })
    const ending = total ? '' : ', total=False'
    if (!fields.every(({ field }) => isDeclarable(field))) {
      const items = fields.map(
        ({ field, type, said = '' }) => `${comment(said)}        ${quoted(field)}: ${quoted(type)},\n`,
      )
      return `${name} = TypedDict(\n    ${quoted(name)},\n    {\n${items.join('')}    }${total ? '' : ',\n    total=False'},\n)\n`
    }
    const lines = fields.map(({ field, type, said }) => `    ${field}: ${type}\n${docstring(said, '    ')}`)
    // A closed object tells itself apart by the fields that it lacks, which type checkers accept of final classes.
    const final = schema.additionalProperties === false && direction === 'answered' ? '@final\n' : ''
    const body = docstring(description, '    ') + lines.join('')
    return `${final}class ${name}(TypedDict${ending}):\n${body === '' ? '    pass\n' : body}`
  }

  private ofType(schema: Schema, direction: Direction, name: string): string {
    switch (schema.type) {
      case 'string':
        return 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'boolean':
        return 'bool'
      case 'null':
        return 'None'
      case 'array': {
        const item = schema.items === undefined ? 'Any' : this.text(schema.items, direction, name)
        return direction === 'sent' ? `Sequence[${item}]` : `list[${item}]`
      }
      case 'object':
        return this.ofObject(schema, direction, name)
      default:
        return schema.properties === undefined ? 'Any' : this.ofObject(schema, direction, name)
    }
  }

  private ofObject(schema: Schema, direction: Direction, name: string): string {
    const { properties = {}, additionalProperties } = schema
    if (Object.keys(properties).length > 0) return this.object(schema, direction, name)
    const value = typeof additionalProperties === 'object' ? this.text(additionalProperties, direction, name) : 'Any'
    return direction === 'sent' ? `Mapping[str, ${value}]` : `dict[str, ${value}]`
  }
}

function comment(said: string): string {
  return said === '' ? '' : `        # ${said.replaceAll('\n', ' ')}\n`
}

function words(values: readonly unknown[], direction: Direction): string {
  const isOpen = direction === 'answered' && values.some((value) => typeof value === 'string')
  const known = values.filter((value) => value !== null)
  return union([
    ...(known.length === 0 ? [] : [literals(known)]),
    ...(isOpen ? ['str'] : []),
    ...(known.length < values.length ? ['None'] : []),
  ])
}

/** Text, whole numbers and truth values have literal types. */
export function literals(values: readonly unknown[]): string {
  const texts = values.map((value) => {
    if (typeof value === 'string') return quoted(value)
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    return value === null ? 'None' : Number.isInteger(value) ? String(value) : null
  })
  return texts.includes(null) ? 'float' : `Literal[${texts.join(', ')}]`
}

function union(parts: readonly string[]): string {
  const each = new Set(parts.flatMap((part) => (part.includes('[') ? [part] : part.split(' | '))))
  const ordered = [...each].filter((part) => part !== 'None')
  return [...ordered, ...(ordered.length < each.size ? ['None'] : [])].join(' | ')
}
