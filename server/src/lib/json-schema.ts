/**
 * A subset of JSON Schema for values from outside: types, objects, lists, enumerations and bounds. It has no patterns
 * and no references, so a check takes time linear in the value. A schema with any other keyword is refused as a whole.
 */
import { isDeepStrictEqual } from 'node:util'

/** Maximum nesting of schemas and values. */
const depth_max = 16

export type JsonSchema = Readonly<Record<string, unknown>>

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const
type TypeName = (typeof types)[number]

/** Annotations, which do not affect validation. */
const remarks = new Set(['title', 'description', '$schema', '$id', '$comment', 'default', 'examples', 'deprecated'])
const counts = new Set(['minLength', 'maxLength', 'minItems', 'maxItems'])
const bounds = new Set(['minimum', 'maximum'])

/** The first unsupported part of a schema, with its path; `null` if all of it is supported. */
export function schemaFault(schema: unknown, place = '', depth = 0): string | null {
  const at = place === '' ? 'The schema' : place
  if (!isObject(schema)) return `${at} must be an object.`
  if (depth > depth_max) return `${at} is too deep.`
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = keywordFault(keyword, value, place, depth)
    if (fault !== null) return fault
  }
  return null
}

function keywordFault(keyword: string, value: unknown, place: string, depth: number): string | null {
  const here = place === '' ? keyword : `${place}.${keyword}`
  const must = (fits: boolean, what: string) => (fits ? null : `${here} must be ${what}.`)
  if (remarks.has(keyword) || keyword === 'const') return null
  if (keyword === 'type') return must(typeNames(value) !== null, `one of ${types.join(', ')}, or a list of them`)
  if (keyword === 'enum') return must(Array.isArray(value) && value.length > 0, 'a list that is not empty')
  if (keyword === 'required') return must(isTexts(value), 'a list of names')
  if (counts.has(keyword)) return must(Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number from 0')
  if (bounds.has(keyword)) return must(typeof value === 'number' && Number.isFinite(value), 'a number')
  if (keyword === 'items') return schemaFault(value, here, depth + 1)
  if (keyword === 'additionalProperties' && typeof value === 'boolean') return null
  if (keyword === 'additionalProperties') return schemaFault(value, here, depth + 1)
  if (keyword !== 'properties') return `${here} is not a supported keyword.`
  if (!isObject(value)) return must(false, 'an object')
  for (const [name, one] of Object.entries(value)) {
    const fault = schemaFault(one, `${here}.${name}`, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** The first fault of a value, with its path; `null` if it matches. `schema` has no fault itself. */
export function valueFault(schema: JsonSchema, value: unknown, place = ''): string | null {
  const at = place === '' ? 'The value' : place
  const allowed = typeNames(schema.type)
  if (allowed !== null && !allowed.some((type) => isOfType(value, type)))
    return `${at} must be ${allowed.join(' or ')}.`
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isDeepStrictEqual(one, value))) {
    return `${at} is not one of the allowed values.`
  }
  if (Object.hasOwn(schema, 'const') && !isDeepStrictEqual(schema.const, value))
    return `${at} is not the required value.`
  const bound = boundFault(schema, value, at)
  if (bound !== null) return bound
  if (Array.isArray(value)) return itemsFault(schema, value, place)
  return isObject(value) ? fieldsFault(schema, value, place) : null
}

function boundFault(schema: JsonSchema, value: unknown, at: string): string | null {
  const limit = (name: string) => schema[name] as number | undefined
  const outside = (size: number, least: string, most: string) =>
    size < (limit(least) ?? -Infinity) || size > (limit(most) ?? Infinity)
  if (typeof value === 'string' && outside([...value].length, 'minLength', 'maxLength'))
    return `${at} has a wrong length.`
  if (typeof value === 'number' && outside(value, 'minimum', 'maximum')) return `${at} is out of bounds.`
  if (Array.isArray(value) && outside(value.length, 'minItems', 'maxItems')) return `${at} has a wrong number of items.`
  return null
}

function itemsFault({ items }: JsonSchema, value: readonly unknown[], place: string): string | null {
  if (!isObject(items)) return null
  for (const [i, item] of value.entries()) {
    const fault = valueFault(items, item, `${place}[${i}]`)
    if (fault !== null) return fault
  }
  return null
}

function fieldsFault(schema: JsonSchema, value: Readonly<Record<string, unknown>>, place: string): string | null {
  const within = (name: string) => (place === '' ? name : `${place}.${name}`)
  const properties = isObject(schema.properties) ? schema.properties : {}
  for (const name of (schema.required ?? []) as string[]) {
    if (!Object.hasOwn(value, name)) return `${within(name)} is missing.`
  }
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name)
    const rule = known ? properties[name] : (schema.additionalProperties ?? true)
    if (rule === false) return `${within(name)} is not an allowed field.`
    const fault = isObject(rule) ? valueFault(rule, field, within(name)) : null
    if (fault !== null) return fault
  }
  return null
}

/**
 * A sample value that matches the schema's types and enumerations. Of several strings it takes one that occurs in
 * `hint`.
 */
export function sampleOf(schema: JsonSchema, hint: string, depth = 0): unknown {
  if (Object.hasOwn(schema, 'const')) return schema.const
  if (Array.isArray(schema.enum))
    return schema.enum.find((one) => typeof one === 'string' && hint.includes(one)) ?? schema.enum[0]
  const [type = isObject(schema.properties) ? 'object' : 'string'] = typeNames(schema.type) ?? []
  if (type === 'string') return 'x'.repeat((schema.minLength as number | undefined) ?? 1)
  if (type === 'integer' || type === 'number') return (schema.minimum as number | undefined) ?? 0
  if (type === 'boolean') return true
  if (type === 'null' || depth > depth_max) return null
  if (type === 'array') {
    const item = isObject(schema.items) ? sampleOf(schema.items, hint, depth + 1) : null
    return Array.from({ length: Math.min(100, (schema.minItems as number | undefined) ?? 0) }, () => item)
  }
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return Object.fromEntries(properties.map(([name, one]) => [name, sampleOf(one as JsonSchema, hint, depth + 1)]))
}

function typeNames(value: unknown): TypeName[] | null {
  const names = Array.isArray(value) ? value : [value]
  const all = names.length > 0 && names.every((name) => (types as readonly unknown[]).includes(name))
  return all ? (names as TypeName[]) : null
}

function isOfType(value: unknown, type: TypeName): boolean {
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isSafeInteger(value)
  return typeof value === type
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
