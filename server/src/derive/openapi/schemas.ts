/**
 * The schemas of the document: every object of the API once, under its noun's name, and references elsewhere. Nouns declare
 * their shapes; a shape that differs from its noun's has a name that says how: `ApiKeyWithSecret`, `ExpandedTask`,
 * `DeletedTask`. Invariant: one name, one shape.
 */
import { document_name, shown_as, undescribed } from '../../api/declare/shapes.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { type JsonObject, pascal } from './json.ts'

const envelope = ['object', 'url', 'has_more', 'next_cursor', 'data', 'fields_selected']

/** Each noun's `object` and its schema. */
export type NounSchemas = Iterable<readonly [object: string, schema: JsonObject]>

export class Schemas {
  /** Name → schema, for `components`. */
  readonly named = new Map<string, JsonObject>()
  /** Name → the declared schema as canonical JSON. */
  private readonly texts = new Map<string, string>()
  private readonly nouns = new Map<string, JsonObject>()

  /** Whether named schemas become references or are written out. */
  private readonly form: 'named' | 'inside'

  /** The first schema of an `object` is the noun's. */
  constructor(nouns: NounSchemas, form: 'named' | 'inside' = 'named') {
    this.form = form
    for (const [object, schema] of nouns) if (!this.nouns.has(object)) this.nouns.set(object, schema)
  }

  /** A declared schema as the document shows it: a reference if it has a name. */
  of(schema: unknown): JsonObject {
    const original = (schema as { [undescribed]?: JsonObject })[undescribed]
    if (original !== undefined) return { ...this.of(original), description: (schema as JsonObject).description }
    const declared = this.form === 'inside' ? (schema as JsonObject) : shown(schema as JsonObject)
    const name = this.form === 'inside' ? null : this.nameOf(declared)
    if (name === null) return this.inside(declared)
    const text = canonicalJson(declared)
    const known = this.texts.get(name)
    if (known === undefined) {
      this.texts.set(name, text)
      this.named.set(name, this.inside(declared))
    } else if (known !== text) {
      throw new Error(`two schemas would be called ${name}: give the objects other names or say here how they differ`)
    }
    return reference(name)
  }

  /** Adds a schema that is not declared anywhere. */
  add(name: string, schema: JsonObject): JsonObject {
    this.named.set(name, schema)
    return reference(name)
  }

  /** The same object with all fields optional: what `fields` selects. */
  selected(schema: unknown): JsonObject {
    const { required: _all, ...rest } = schema as JsonObject
    return this.add(`Selected${this.nameOf(schema as JsonObject)}`, this.inside(rest))
  }

  /** The name of an object's schema, `null` for schemas without one. */
  nameOf(schema: JsonObject): string | null {
    const given = (schema as { [document_name]?: string })[document_name]
    if (given !== undefined) return given
    const { properties } = schema as { properties?: Record<string, JsonObject> }
    const object = properties?.object?.const
    if (properties === undefined || typeof object !== 'string') return null
    if (object === 'list') {
      const item = this.nameOf((properties.data as { items: JsonObject }).items)
      const more = Object.keys(properties).filter((field) => !envelope.includes(field))
      return item === null ? null : `${item}List${withFields(more)}`
    }
    const name = pascal(object)
    const fields = Object.keys(properties)
    if (fields.join() === 'id,object,deleted') return `Deleted${name}`
    const noun = this.nouns.get(object)
    if (noun === undefined) {
      this.nouns.set(object, schema)
      return name
    }
    if (canonicalJson(noun) === canonicalJson(schema)) return name
    return variant(name, Object.keys(noun.properties as JsonObject), fields)
  }

  private inside(value: unknown): JsonObject {
    // A plain value inside a schema (a number, a text) stays as it is.
    if (typeof value !== 'object' || value === null) return value as never
    const { properties, items, anyOf, patternProperties, computes, refers, ...plain } = value as JsonObject
    const rest: JsonObject = {
      ...plain,
      // Annotations of automation graphs beyond JSON Schema.
      ...(computes === undefined ? {} : { 'x-computes': computes }),
      ...(refers === undefined ? {} : { 'x-refers': refers }),
    }
    if (anyOf !== undefined) return { ...rest, ...this.alternatives(anyOf as JsonObject[]) }
    if (patternProperties !== undefined) return { ...rest, ...this.record(patternProperties as JsonObject) }
    const { enum: words } = rest
    return {
      ...(Array.isArray(words) && words.every((word) => typeof word === 'string') ? { type: 'string' } : {}),
      ...rest,
      ...(items === undefined ? {} : { items: this.of(items) }),
      ...(properties === undefined ? {} : { properties: this.properties(properties as JsonObject) }),
    }
  }

  /** The properties of an object that is not declared anywhere. */
  properties(properties: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.of(schema)]))
  }

  /** Flattens nested unions; a plain value or `null` becomes one schema with two types. */
  private alternatives(schemas: readonly JsonObject[]): JsonObject {
    const flat = schemas.flatMap(flatten).map((schema) => this.of(schema))
    const others = flat.filter((schema) => schema.type !== 'null')
    const [only] = others
    if (flat.length === 1 && only !== undefined) return only
    if (others.length === flat.length || others.length !== 1 || only === undefined) return { anyOf: flat }
    const { type, enum: words, const: constant } = only
    if (typeof type !== 'string' || type === 'object' || constant !== undefined) return { anyOf: [only, nothing] }
    return { ...only, type: [type, 'null'], ...(words === undefined ? {} : { enum: [...(words as unknown[]), null] }) }
  }

  /** An object with free names and values of one kind. */
  private record(patterns: JsonObject): JsonObject {
    const [[pattern, schema]] = Object.entries(patterns) as [[string, JsonObject]]
    const names = pattern === '^.*$' ? {} : { propertyNames: { pattern } }
    const values = this.of(schema)
    return { ...names, additionalProperties: Object.keys(values).length === 0 ? true : values }
  }
}

const nothing = { type: 'null' }

function shown(schema: JsonObject): JsonObject {
  return (schema as { [shown_as]?: JsonObject })[shown_as] ?? schema
}

function flatten(schema: JsonObject): JsonObject[] {
  return Array.isArray(schema.anyOf) && schema.description === undefined ? schema.anyOf.flatMap(flatten) : [schema]
}

function variant(name: string, noun: readonly string[], fields: readonly string[]): string | null {
  const more = fields.filter((field) => !noun.includes(field))
  const lacks = noun.some((field) => !fields.includes(field))
  if (more.length === 0 && lacks) return null
  return more.length > 0 ? `${name}${withFields(more)}` : `Expanded${name}`
}

function withFields(more: readonly string[]): string {
  return more.length === 0 ? '' : `With${more.map(pascal).join('And')}`
}

export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
