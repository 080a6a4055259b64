/**
 * Checks a value against a schema of schema.ts. One traversal collects every fault with its path, every expression and
 * template with the types it may give, and every reference with the kind of object it names.
 */
import type { Fault } from '../api/declare/errors.ts'
import { limits } from '../api/limits.ts'
import { automation_limits } from './limits.ts'
import type { JsonKind, ReferenceKind } from './schema-values.ts'
import { charsOf, fieldsOf, type Limit, limitsOf } from './shape-limits.ts'

/** An expression or a template in a graph. */
export interface Computed {
  readonly path: string
  readonly form: 'expression' | 'template'
  readonly source: string
  /** The types it may give. */
  readonly gives: readonly JsonKind[]
}

/** An object that a graph refers to by id (a secret by name), for the caller to look up. */
export interface Reference {
  readonly path: string
  readonly kind: ReferenceKind
  readonly id: string
}

/** The subset of JSON Schema that describes graphs. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly computes?: readonly JsonKind[]
  readonly refers?: ReferenceKind
  readonly pattern?: string
  readonly uniqueItems?: boolean
}

export interface Findings {
  readonly faults: Fault[]
  readonly computed: Computed[]
  readonly references: Reference[]
  /** Whether everything is already evaluated: `{"$expr"}` is then a plain object. */
  readonly resolved: boolean
}

export function noFindings(options: { readonly resolved?: boolean } = {}): Findings {
  return { faults: [], computed: [], references: [], resolved: options.resolved ?? false }
}

/** Appends to a path: `graph.nodes` and 3 → `graph.nodes[3]`; `config` and `task` → `config.task`. */
export function at(path: string, part: string | number): string {
  if (typeof part === 'number') return `${path}[${part}]`
  return path === '' ? part : `${path}.${part}`
}

/** Checks the value at `path` and adds what it finds to `found`. */
export function checkShape(schema: Schema, value: unknown, path: string, found: Findings): void {
  if (schema.computes !== undefined) checkComputed(schema, schema.computes, value, path, found)
  else checkLiteral(schema, value, path, found)
}

function addFault(found: Findings, path: string, what: string): void {
  found.faults.push({ param: path, message: `${path} ${what}.` })
}

function checkLiteral(schema: Schema, value: unknown, path: string, found: Findings): void {
  if (schema.anyOf !== undefined) checkUnion(schema.anyOf, value, path, found)
  else if (!isOfKind(schema, value)) addFault(found, path, `must be ${describe(schema)}`)
  else {
    for (const limit of brokenLimits(schema, value)) addFault(found, path, limit)
    if (Array.isArray(value)) checkItems(schema, value, path, found)
    else if (isRecord(value)) checkFields(schema, value, path, found)
    else if (schema.refers !== undefined) found.references.push({ path, kind: schema.refers, id: String(value) })
  }
}

function isOfKind(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined && value !== schema.const) return false
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false
  return schema.type === undefined || hasType(value, schema.type)
}

function brokenLimits(schema: Schema, value: unknown): string[] {
  return limitsOf(value).flatMap(({ keyword, breaks, says }: Limit) => {
    const bound = (schema as Readonly<Record<string, unknown>>)[keyword]
    return bound !== undefined && breaks(bound) ? [says(bound)] : []
  })
}

function checkItems(schema: Schema, items: readonly unknown[], path: string, found: Findings): void {
  if (schema.items === undefined) return
  for (const [i, item] of items.entries()) checkShape(schema.items, item, at(path, i), found)
}

function checkFields(schema: Schema, value: Record<string, unknown>, path: string, found: Findings): void {
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) addFault(found, at(path, name), 'is required')
  }
  const patterns = Object.entries(schema.patternProperties ?? {})
  for (const [name, field] of Object.entries(value)) {
    const known = fieldsOf(schema.properties, name) ?? patterns.find(([form]) => new RegExp(form, 'u').test(name))?.[1]
    if (known !== undefined) checkShape(known, field, at(path, name), found)
    else if (schema.additionalProperties === false) addFault(found, at(path, name), 'is not a known field')
  }
}

/**
 * Accepts a value that matches one alternative. Otherwise it reports the faults of the only alternative of the value's
 * type, or else lists the accepted types.
 */
function checkUnion(alternatives: readonly Schema[], value: unknown, path: string, found: Findings): void {
  const all = alternatives.flatMap((schema) => schema.anyOf ?? [schema])
  const fitting = all.find((schema) => {
    const tried = noFindings(found)
    checkShape(schema, value, path, tried)
    return tried.faults.length === 0
  })
  const [, literals] = separateComputed(all)
  const alike = literals.filter((schema) => schema.type !== undefined && hasType(value, schema.type))
  const chosen = fitting ?? (alike.length === 1 ? alike[0] : undefined)
  if (chosen !== undefined) checkShape(chosen, value, path, found)
  else addFault(found, path, `must be ${all.map(describe).join(' or ')}`)
}

function checkComputed(
  schema: Schema,
  gives: readonly JsonKind[],
  value: unknown,
  path: string,
  found: Findings,
): void {
  if (schema.type === 'string') checkFormula(schema, gives, value, path, found)
  else if (schema.anyOf === undefined) checkBody(value, path, found, 0)
  else checkValue(schema.anyOf, gives, value, path, found)
}

function checkValue(
  alternatives: readonly Schema[],
  gives: readonly JsonKind[],
  value: unknown,
  path: string,
  found: Findings,
): void {
  const [computed, literals] = separateComputed(alternatives)
  const key = found.resolved ? undefined : computedKey(value)
  const form = key === undefined ? undefined : computed.find((one) => fieldsOf(one.properties, key) !== undefined)
  const before = found.faults.length
  if (key === undefined || form === undefined) checkUnion(found.resolved ? literals : alternatives, value, path, found)
  else {
    checkLiteral(form, value, path, found)
    if (found.faults.length === before) found.computed.push(computedAt(path, key, value, gives))
  }
}

/** Separates the alternatives that are `{"$expr"}` or `{"$template"}` from the others. */
function separateComputed(alternatives: readonly Schema[]): [Schema[], Schema[]] {
  const computes = (one: Schema) => one.properties?.$expr !== undefined || one.properties?.$template !== undefined
  return [alternatives.filter(computes), alternatives.filter((one) => !computes(one))]
}

function checkFormula(schema: Schema, gives: readonly JsonKind[], value: unknown, path: string, found: Findings): void {
  const before = found.faults.length
  checkLiteral(schema, value, path, found)
  if (found.faults.length > before || found.resolved) return
  found.computed.push({ path, form: 'expression', source: value as string, gives })
}

/** Any JSON, in which objects of the form `{"$expr"}` and `{"$template"}` are computed at every depth. */
function checkBody(value: unknown, path: string, found: Findings, depth: number): void {
  const key = computedKey(value)
  if (typeof value !== 'object' || value === null || found.resolved) return
  if (depth === automation_limits.automation_body_depth_max)
    addFault(found, path, `is nested more than ${depth} levels deep`)
  else if (key !== undefined) checkBodyValue(value as Record<string, unknown>, key, path, found)
  else {
    for (const [name, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      checkBody(part, at(path, name), found, depth + 1)
    }
  }
}

function checkBodyValue(
  value: Record<string, unknown>,
  key: '$expr' | '$template',
  path: string,
  found: Findings,
): void {
  const source = value[key]
  const chars_max = key === '$expr' ? automation_limits.automation_expression_chars_max : limits.text_chars_max
  if (Object.keys(value).length > 1) addFault(found, path, `must not have other fields besides ${key}`)
  else if (typeof source !== 'string') addFault(found, at(path, key), 'must be a string')
  else if (charsOf(source) > chars_max) addFault(found, at(path, key), `must have at most ${chars_max} characters`)
  else found.computed.push(computedAt(path, key, value, bodyGives(key)))
}

const all_kinds: readonly JsonKind[] = ['string', 'int', 'double', 'bool', 'null', 'list', 'map']

function bodyGives(key: '$expr' | '$template'): readonly JsonKind[] {
  return key === '$expr' ? all_kinds : ['string']
}

function computedAt(path: string, key: '$expr' | '$template', value: unknown, gives: readonly JsonKind[]): Computed {
  const source = (value as Record<string, string>)[key] as string
  return { path, form: key === '$expr' ? 'expression' : 'template', source, gives }
}

/** The key that makes an object a computed value. */
export function computedKey(value: unknown): '$expr' | '$template' | undefined {
  if (!isRecord(value)) return undefined
  if (Object.hasOwn(value, '$expr')) return '$expr'
  return Object.hasOwn(value, '$template') ? '$template' : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return typeof value === type
}

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

function describe(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (schema.refers === 'automation_flow') return 'the id of a flow'
  if (schema.refers !== undefined) return `the ${schema.refers === 'secret' ? 'name' : 'id'} of a ${schema.refers}`
  if (schema.properties?.$expr !== undefined) return '{"$expr"}'
  if (schema.properties?.$template !== undefined) return '{"$template"}'
  return words[schema.type ?? ''] ?? 'something else'
}
