/**
 * Describes why a value does not fit its schema (contract/02#several-faults). Collecting errors takes far longer than the
 * check itself: minutes for a body with half a million wrong items. So errors are collected from a truncated copy, which
 * keeps of each list and object slightly more than the schema allows.
 */

import { isCurrency } from '../../lib/currencies.ts'
import { withArticle } from '../../lib/sentence.ts'
import type { Fault } from '../declare/errors.ts'
import { choices, quoted, suggest } from '../declare/quoted.ts'
import { limits } from '../limits.ts'

export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Record<string, unknown>
  readonly message: string
}

/** The largest list or object the schema allows anywhere, and the field names it knows. */
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

/** Recursion ends: a schema never contains itself. */
function widen(bounds: Bounds, schema: object): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'maxItems' || keyword === 'maxProperties') bounds.items = Math.max(bounds.items, Number(value))
    if (keyword === 'properties') for (const name of Object.keys(value)) bounds.names.add(name)
    if (typeof value === 'object' && value !== null) widen(bounds, value)
  }
}

/** A copy of the value cut to just above the schema's bounds, so that everything over a bound stays over it. */
export function truncateForErrors(schema: object, value: unknown): unknown {
  return truncate(boundsOf(schema), value)
}

function truncate(bounds: Bounds, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, bounds.items + 1).map((each) => truncate(bounds, each))
  if (typeof value !== 'object' || value === null) return value
  const kept: [string, unknown][] = []
  let others = 0
  for (const name in value) {
    if (!bounds.names.has(name) && others++ > bounds.items) continue
    kept.push([name, truncate(bounds, (value as Record<string, unknown>)[name])])
  }
  // Unlike an assignment, fromEntries treats `__proto__` as an ordinary name.
  return Object.fromEntries(kept)
}

const limit_names: Readonly<Record<string, (limit: unknown) => string>> = {
  minLength: (n) => `must have at least ${n} character${n === 1 ? '' : 's'}`,
  maxLength: (n) => `must have at most ${n} characters`,
  minItems: (n) => `must hold at least ${n}`,
  maxItems: (n) => `must hold at most ${n}`,
  maxProperties: (n) => `must have at most ${n} keys`,
}

/** One fault per path, in order of appearance; where alternatives failed, the deepest cause comes first. */
export function faultsOf(errors: readonly SchemaError[], body: unknown, schema: object): Fault[] {
  const { names } = boundsOf(schema)
  const faults = new Map<string, string>()
  const alternatives = new Set(errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath))
  for (const error of errors) {
    for (const { param, message } of describe(error, { alternatives, body, names })) {
      if (faults.has(param)) continue
      faults.set(
        param,
        `${param === '' ? 'The body' : `The field \`${param}\``} ${message}${/[.?]$/.test(message) ? '' : '.'}`,
      )
    }
    if (faults.size >= limits.faults_max) break
  }
  return [...faults].map(([param, message]) => ({ param, message }))
}

interface About {
  /** The paths at which no alternative fits. */
  readonly alternatives: ReadonlySet<string>
  readonly body: unknown
  /** Every field name of the schema. */
  readonly names: ReadonlySet<string>
}

function describe(error: SchemaError, { alternatives, body, names }: About): Fault[] {
  const param = toPath(error.instancePath)
  const { keyword, params } = error
  const sent = (): unknown => valueAt(body, error.instancePath)
  if (keyword === 'required') {
    const missing = params.requiredProperties as string[]
    return missing.map((name) => ({ param: param === '' ? name : `${param}.${name}`, message: 'is required' }))
  }
  if (keyword === 'additionalProperties') {
    const unknown = params.additionalProperties as string[]
    return unknown.map((name) => ({
      param: param === '' ? name : `${param}.${name}`,
      message: /(?:^|\.)(?:custom|extra)_fields$/.test(param) ? key_form : describeUnknown(name, names),
    }))
  }
  if (keyword === 'boolean') return []
  if (keyword === 'type' && params.type === 'null' && alternatives.has(error.instancePath)) return []
  const limit = limit_names[keyword]
  if (limit !== undefined) return [{ param, message: limit(params.limit) }]
  if (keyword === 'type') return [{ param, message: describeType(param, String(params.type), sent()) }]
  if (keyword === 'minimum') return [{ param, message: `cannot be ${quoted(sent())}. Use at least ${params.limit}` }]
  if (keyword === 'maximum') return [{ param, message: `cannot be ${quoted(sent())}. Use at most ${params.limit}` }]
  if (keyword === 'enum') return [{ param, message: describeEnum(params.allowedValues as string[], sent()) }]
  if (keyword === 'const') return [{ param, message: `must be ${JSON.stringify(params.allowedValue)}` }]
  if (keyword === 'uniqueItems') return [{ param, message: 'holds the same value twice' }]
  if (keyword === '~refine') return [{ param, message: String(params.message) }]
  if (keyword === 'pattern') return [{ param, message: describePattern(param, sent()) }]
  return [{ param, message: error.message }]
}

const key_form = 'is not a valid key. Use 1 to 40 of the characters a-z, 0-9 and _, the first one a letter'

function describeUnknown(name: string, names: ReadonlySet<string>): string {
  return `is not known here.${suggest(name, [...names])}`
}

/** What was sent is repeated if it is short: a number, a truth value, null or a text. */
function describeType(param: string, type: string, sent: unknown): string {
  const text =
    typeof sent === 'object' && sent !== null ? (Array.isArray(sent) ? 'an array' : 'an object') : valueText(sent)
  return `must be ${withArticle(type)}${isSecret(param) || sent === undefined ? '' : `, not ${text}`}`
}

function valueText(sent: unknown): string {
  return typeof sent === 'string' ? quoted(sent) : String(sent)
}

function describeEnum(words: readonly string[], sent: unknown): string {
  return `cannot be ${quoted(sent)}.${suggest(sent, words)} Use ${choices(words)}`
}

/** Values that may be secrets are not repeated. */
function isSecret(param: string): boolean {
  return /secret|password|token|code/i.test(param)
}

function describePattern(param: string, sent: unknown): string {
  if (typeof sent !== 'string' || isSecret(param)) return 'does not have the right form'
  const capitals = sent.toUpperCase()
  const hint = param.endsWith('currency') && isCurrency(capitals) ? `. Did you mean "${capitals}"?` : null
  return `cannot be ${quoted(sent)}${hint ?? ', which does not have the right form'}`
}

/** The value that a JSON pointer names. */
function valueAt(body: unknown, pointer: string): unknown {
  let value = body
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
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
