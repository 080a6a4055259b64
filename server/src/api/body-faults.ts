/**
 * What is wrong with a value that does not fit its schema, in words (decisions §2). A body may hold half a million wrong
 * items, and the compiler's errors take far longer to collect than the check that refused it; so they are looked for in
 * a cut of the value, which has of every list and object a little more than the schema allows anywhere.
 */
import { limits } from '../lib/limits.ts'
import type { Fault } from './errors.ts'

export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Record<string, unknown>
  readonly message: string
}

/** How large lists and objects may be where the schema is the most generous, and the names that it knows. */
interface Bounds {
  items: number
  readonly names: Set<string>
}

const kept_bounds = new WeakMap<object, Bounds>()

function boundsOf(schema: object): Bounds {
  let bounds = kept_bounds.get(schema)
  if (bounds === undefined) {
    bounds = { items: limits.faults_max, names: new Set() }
    widen(bounds, schema)
    kept_bounds.set(schema, bounds)
  }
  return bounds
}

/** Schemas are made of literals and of each other, never of themselves. */
function widen(bounds: Bounds, schema: object): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'maxItems' || keyword === 'maxProperties') bounds.items = Math.max(bounds.items, Number(value))
    if (keyword === 'properties') for (const name of Object.keys(value)) bounds.names.add(name)
    if (typeof value === 'object' && value !== null) widen(bounds, value)
  }
}

/** As much of the value as has the faults that are worth telling: what is over a bound of the schema is so here too. */
export function cutFor(schema: object, value: unknown): unknown {
  return cut(boundsOf(schema), value)
}

function cut(bounds: Bounds, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, bounds.items + 1).map((each) => cut(bounds, each))
  if (typeof value !== 'object' || value === null) return value
  const kept: [string, unknown][] = []
  let others = 0
  for (const name in value) {
    if (!bounds.names.has(name) && others++ > bounds.items) continue
    kept.push([name, cut(bounds, (value as Record<string, unknown>)[name])])
  }
  // Unlike an assignment this takes `__proto__` for a name like any other.
  return Object.fromEntries(kept)
}

const limit_names: Readonly<Record<string, (limit: unknown) => string>> = {
  minLength: (n) => `must have at least ${n} character${n === 1 ? '' : 's'}`,
  maxLength: (n) => `must have at most ${n} characters`,
  minItems: (n) => `must hold at least ${n}`,
  maxItems: (n) => `must hold at most ${n}`,
  maxProperties: (n) => `must have at most ${n} keys`,
}

/** One fault a place, in the order of the places' appearance, the deepest cause first where alternatives failed. */
export function faultsOf(errors: readonly SchemaError[]): Fault[] {
  const faults = new Map<string, string>()
  const alternatives = new Set(errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath))
  for (const error of errors) {
    for (const { param, message } of describe(error, alternatives)) {
      if (!faults.has(param)) faults.set(param, `${param === '' ? 'The body' : param} ${message}.`)
    }
    if (faults.size >= limits.faults_max) break
  }
  return [...faults].map(([param, message]) => ({ param, message }))
}

function describe(error: SchemaError, alternatives: ReadonlySet<string>): Fault[] {
  const param = toPath(error.instancePath)
  const { keyword, params } = error
  if (keyword === 'required') {
    const missing = params.requiredProperties as string[]
    return missing.map((name) => ({ param: param === '' ? name : `${param}.${name}`, message: 'is required' }))
  }
  if (keyword === 'additionalProperties') {
    const unknown = params.additionalProperties as string[]
    return unknown.map((name) => ({
      param: param === '' ? name : `${param}.${name}`,
      message: 'is not a field of this request',
    }))
  }
  if (keyword === 'boolean') return []
  if (keyword === 'type' && params.type === 'null' && alternatives.has(error.instancePath)) return []
  const limit = limit_names[keyword]
  if (limit !== undefined) return [{ param, message: limit(params.limit) }]
  if (keyword === 'type') return [{ param, message: `must be ${article(String(params.type))}` }]
  if (keyword === 'enum')
    return [{ param, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` }]
  if (keyword === 'const') return [{ param, message: `must be ${JSON.stringify(params.allowedValue)}` }]
  if (keyword === 'uniqueItems') return [{ param, message: 'holds the same value twice' }]
  if (keyword === 'pattern') return [{ param, message: 'does not have the right form' }]
  return [{ param, message: error.message }]
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** `/data/3/title` → `data[3].title` */
function toPath(pointer: string): string {
  let path = ''
  for (const raw of pointer.split('/').slice(1)) {
    const part = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    path += /^\d+$/.test(part) ? `[${part}]` : path === '' ? part : `.${part}`
  }
  return path
}
