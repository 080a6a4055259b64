/**
 * Conversion between JSON and CEL values. In CEL, objects are Maps, so a name cannot reach a prototype, and integers
 * are BigInt. On the way back, a value that JSON cannot represent exactly is refused.
 */

import { ExpressionFailure } from './expressions/failure.ts'
import { automation_limits } from './limits.ts'
import type { JsonKind } from './schema-values.ts'

/** Converts JSON to CEL values; at most `automation_data_values_max` values. */
export function toCel(json: unknown): unknown {
  let left: number = automation_limits.automation_data_values_max
  const convert = (value: unknown): unknown => {
    if (left-- === 0) throw new ExpressionFailure('too_large', 'The data that the expression reads is too large')
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(convert)
    return new Map(Object.entries(value).map(([name, field]) => [name, convert(field)]))
  }
  return convert(json)
}

/** Converts the result of an expression to JSON. Throws ExpressionFailure. */
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
  throw new ExpressionFailure('no_json', 'The result is not a JSON value')
}

function fields(entries: Iterable<[unknown, unknown]>): Record<string, unknown> {
  const there = [...entries].filter(([, value]) => value !== undefined)
  return Object.fromEntries(there.map(([name, value]) => [text(String(name)), toJson(value)]))
}

function text(value: string): string {
  if (value.length > automation_limits.automation_value_chars_max)
    throw new ExpressionFailure('too_large', 'The text is too long')
  if (value.isWellFormed() && !value.includes('\0')) return value
  throw new ExpressionFailure('no_json', 'The text contains an unpaired surrogate or U+0000')
}

function whole(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new ExpressionFailure('not_exact', 'The integer is too large for JSON to represent exactly')
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value
  throw new ExpressionFailure('not_exact', 'The number is not finite')
}

/** The JSON kind of a value; integers are `int`, other numbers `double`. */
export function kindOf(json: unknown): JsonKind {
  if (json === null) return 'null'
  if (typeof json === 'string') return 'string'
  if (typeof json === 'boolean') return 'bool'
  if (typeof json === 'number') return Number.isSafeInteger(json) ? 'int' : 'double'
  return Array.isArray(json) ? 'list' : 'map'
}
