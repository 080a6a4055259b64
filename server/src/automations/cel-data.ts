/**
 * JSON as expressions see it and back. Inside, objects are Maps (so that no name reaches a prototype) and whole numbers
 * are BigInt; outside, numbers are JSON's again, and what JSON cannot say exactly is refused.
 */
import { limits } from '../lib/limits.ts'
import { ExpressionFailure } from './expression-failure.ts'
import type { JsonKind } from './schema-values.ts'

/** JSON as an expression reads it. At most `automation_data_values_max` values. */
export function toCel(json: unknown): unknown {
  let left: number = limits.automation_data_values_max
  const convert = (value: unknown): unknown => {
    if (left-- === 0) throw new ExpressionFailure('too_large', 'The data that the expression reads is too large')
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(convert)
    return new Map(Object.entries(value).map(([name, field]) => [name, convert(field)]))
  }
  return convert(json)
}

/** What an expression gave, as JSON. */
export function toJson(value: unknown): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return whole(value)
  if (typeof value === 'number') return finite(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return fields(value)
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return fields(Object.entries(value))
  }
  throw new ExpressionFailure('no_json', 'The result is not a value of JSON')
}

function fields(entries: Iterable<[unknown, unknown]>): Record<string, unknown> {
  const there = [...entries].filter(([, value]) => value !== undefined)
  return Object.fromEntries(there.map(([name, value]) => [text(String(name)), toJson(value)]))
}

function text(value: string): string {
  if (value.length > limits.automation_value_chars_max) throw new ExpressionFailure('too_large', 'The text is too long')
  if (value.isWellFormed() && !value.includes('\0')) return value
  throw new ExpressionFailure('no_json', 'The text holds half a character or U+0000')
}

function whole(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new ExpressionFailure('not_exact', 'The whole number is beyond what JSON says exactly')
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value
  throw new ExpressionFailure('not_exact', 'The number is not finite')
}

/** What a value of JSON is, whole numbers apart. */
export function kindOf(json: unknown): JsonKind {
  if (json === null) return 'null'
  if (typeof json === 'string') return 'string'
  if (typeof json === 'boolean') return 'bool'
  if (typeof json === 'number') return Number.isSafeInteger(json) ? 'int' : 'double'
  return Array.isArray(json) ? 'list' : 'map'
}
