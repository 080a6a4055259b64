/**
 * How a declared field is written as a text: what a flag's value is read as follows from the schema, so that a new
 * operation has flags without a line here.
 */
import type { TSchema } from 'typebox'
import { limits } from '../../api/limits.ts'
import { quoted } from '../../lib/quoted.ts'
import { type JsonValue, parseStrictJson } from '../../lib/strict-json.ts'

export interface FieldType {
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'any'
  readonly nullable: boolean
  /** The words that it may be, where they are known. */
  readonly words: readonly string[]
  /** A moment in Unix seconds: dates are taken too. */
  readonly seconds: boolean
  readonly item: FieldType | null
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

const kinds: Readonly<Record<string, FieldType['kind']>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
}

/** Names of fields that are times in Unix seconds. */
const moment_name = /_(at|before|after)$/

export function fieldTypeOf(schema: TSchema | Schema, name = ''): FieldType {
  const given = schema as Schema
  const kinds_of = given.anyOf ?? [given]
  const nullable = kinds_of.some((each) => each.type === 'null')
  const own = kinds_of.filter((each) => each.type !== 'null')
  // A time that the server also takes in words, such as `today`.
  if (own.length === 2 && own[0]?.type === 'integer' && own[1]?.type === 'string') {
    return { kind: 'text', nullable, words: [], seconds: moment_name.test(name), item: null }
  }
  if (own.length !== 1) return { kind: 'any', nullable, words: [], seconds: false, item: null }
  const one = own[0] as Schema
  const words = (one.enum ?? (one.const === undefined ? [] : [one.const])).filter((word) => typeof word === 'string')
  const kind = kinds[one.type ?? ''] ?? (words.length > 0 ? 'text' : 'any')
  return {
    kind,
    nullable,
    words,
    seconds: kind === 'integer' && moment_name.test(name),
    item: kind === 'list' ? fieldTypeOf(one.items ?? {}) : null,
  }
}

/** A handful of words stands in help in place of the value; more stand beside it. */
export function showsWords({ words }: FieldType): boolean {
  return words.length > 0 && words.join('|').length <= 36
}

/** What stands for a value in help. */
export function shownType(type: FieldType): string {
  if (type.kind === 'list' && type.item !== null) return `${shownType(type.item)}…`
  if (showsWords(type)) return type.words.join('|')
  if (type.seconds) return 'time'
  return { text: 'text', integer: 'integer', number: 'number', boolean: '', list: 'list', object: 'json', any: 'json' }[
    type.kind
  ]
}

export type Read = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string }

const good = (value: JsonValue): Read => ({ ok: true, value })
const bad = (message: string): Read => ({ ok: false, message })

/** The value that a text stands for; of a list that of one element. */
export function readField(type: FieldType, text: string): Read {
  if (type.nullable && text === 'null') return good(null)
  switch (type.kind) {
    case 'text': {
      const moment = type.seconds ? readMoment(text) : bad('')
      return moment.ok ? moment : good(text)
    }
    case 'integer':
      return type.seconds ? readMoment(text) : readNumber(text, true)
    case 'number':
      return readNumber(text, false)
    case 'boolean':
      return text === 'true' || text === 'false'
        ? good(text === 'true')
        : bad(`must be true or false, not ${quoted(text)}`)
    case 'list':
      return readField(type.item as FieldType, text)
    case 'object':
      return readJson(text)
    case 'any':
      return /^[[{"]|^(null|true|false)$|^-?\d/.test(text.trim()) ? readJson(text) : good(text)
  }
}

/** A list written as one JSON array, `[]` too; undefined when the text is no array. */
export function readWholeList(text: string): readonly JsonValue[] | undefined {
  if (!text.trim().startsWith('[')) return undefined
  const read = parseStrictJson(text, { depth_max: limits.json_depth_max })
  return read.ok && Array.isArray(read.value) ? read.value : undefined
}

function readNumber(text: string, whole: boolean): Read {
  const form = whole ? /^-?\d{1,16}$/ : /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  const value = form.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) return bad(`must be a ${whole ? 'whole ' : ''}number, not ${quoted(text)}`)
  return good(value)
}

const date_form = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/

/** Unix seconds, or a date with or without time; without an offset it is UTC. */
function readMoment(text: string): Read {
  if (/^-?\d{1,16}$/.test(text)) return good(Number(text))
  const offset = /(Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10 ? '' : 'Z'
  const at = date_form.test(text) ? Date.parse(text.replace(' ', 'T') + offset) : Number.NaN
  if (!Number.isNaN(at)) return good(at / 1000)
  return bad(`must be Unix seconds or a date such as 2026-08-04 or 2026-08-04T12:00Z, not ${quoted(text)}`)
}

export function readJson(text: string): Read {
  const read = parseStrictJson(text, { depth_max: limits.json_depth_max })
  return read.ok ? good(read.value) : bad(`must be JSON: ${read.message.replace(/\.$/, '')}`)
}
