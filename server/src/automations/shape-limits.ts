/** The JSON Schema limits of strings, numbers, arrays and objects, with their messages. */
import { canonicalJson } from '../lib/canonical-json.ts'

export interface Limit {
  readonly keyword: string
  /** `bound` is the value of the keyword in a schema. */
  breaks(bound: unknown): boolean
  says(bound: unknown): string
}

function limit<B>(keyword: string, breaks: (bound: B) => boolean, says: (bound: B) => string): Limit {
  return { keyword, breaks, says }
}

/** The limits that apply to the value's type. */
export function limitsOf(value: unknown): readonly Limit[] {
  if (typeof value === 'string') return ofText(value)
  if (typeof value === 'number') return ofNumber(value)
  if (Array.isArray(value)) return ofItems(value)
  return typeof value === 'object' && value !== null ? ofFields(Object.keys(value).length) : []
}

function ofText(text: string): Limit[] {
  const chars = charsOf(text)
  return [
    limit<number>(
      'minLength',
      (min) => chars < min,
      (min) => `must have at least ${min} character${plural(min)}`,
    ),
    limit<number>(
      'maxLength',
      (max) => chars > max,
      (max) => `must have at most ${max} characters`,
    ),
    limit<string>(
      'pattern',
      (form) => !new RegExp(form, 'u').test(text),
      () => 'has an invalid format',
    ),
  ]
}

function ofNumber(number: number): Limit[] {
  return [
    limit<number>(
      'minimum',
      (min) => number < min,
      (min) => `must be at least ${min}`,
    ),
    limit<number>(
      'maximum',
      (max) => number > max,
      (max) => `must be at most ${max}`,
    ),
  ]
}

function ofItems(items: readonly unknown[]): Limit[] {
  return [
    limit<number>(
      'minItems',
      (min) => items.length < min,
      (min) => `must have at least ${min} item${plural(min)}`,
    ),
    limit<number>(
      'maxItems',
      (max) => items.length > max,
      (max) => `must have at most ${max} item${plural(max)}`,
    ),
    limit<boolean>(
      'uniqueItems',
      (unique) => unique && new Set(items.map((item) => canonicalJson(item))).size < items.length,
      () => 'repeats a value',
    ),
  ]
}

function ofFields(count: number): Limit[] {
  return [
    limit<number>(
      'minProperties',
      (min) => count < min,
      (min) => `must have at least ${min} key${plural(min)}`,
    ),
    limit<number>(
      'maxProperties',
      (max) => count > max,
      (max) => `must have at most ${max} keys`,
    ),
  ]
}

function plural(n: number): string {
  return n === 1 ? '' : 's'
}

/** The length in code points, as JSON Schema counts. */
export function charsOf(text: string): number {
  let chars = text.length
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) chars--
  }
  return chars
}

/** The own property of a name, never an inherited one. */
export function fieldsOf<T>(fields: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}
