/**
 * Query parameters and how their texts are read. A wrong value is refused with 400 `invalid_query_parameter` and the
 * parameter's name (contract/02#query-parameters).
 */
import Type, { type TSchema } from 'typebox'
import { isPublicId } from '../../lib/ids.ts'
import { limits } from '../limits.ts'
import { refuse } from './errors.ts'
import type { AnyNoun } from './noun.ts'
import { quoted, unknownWord } from './quoted.ts'
import { Id, OneOf } from './shapes.ts'

export interface Parameter<T> {
  readonly schema: TSchema
  /** Takes several values, repeated or as `name[]`; they mean OR (contract/06#repeated-parameters). */
  readonly many: boolean
  /** Takes several comma-separated values in one text. */
  readonly commas?: boolean
  /** The only texts that are accepted. */
  readonly words?: readonly string[]
  readonly required: boolean
  /** References an object of this noun; an unknown one is refused. */
  readonly refers?: AnyNoun
  readonly description: string
  read(texts: readonly string[], name: string): T
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { required: true; read(...args: never[]): infer T }
    ? T
    : P[K] extends Parameter<infer T>
      ? T | undefined
      : never
}

function wrong(name: string, message: string): Error {
  return refuse('invalid_query_parameter', { param: name, message })
}

function single<T>(schema: TSchema, description: string, read: (text: string, name: string) => T): Parameter<T> {
  return {
    schema,
    many: false,
    required: false,
    description,
    read(texts, name) {
      if (texts.length !== 1) throw wrong(name, `${name} may be given only once.`)
      return read(texts[0] as string, name)
    },
  }
}

/** A well-formed id. Whether the object exists is checked elsewhere. */
export function idParameter(description: string, refers?: AnyNoun): Parameter<string> {
  const parameter = single(Id, description, readId)
  return refers === undefined ? parameter : { ...parameter, refers }
}

function readId(text: string, name: string): string {
  if (!isPublicId(text)) throw wrong(name, `${name} cannot be ${quoted(text)}. Use an id.`)
  return text
}

export function textParameter(chars_max: number, description: string): Parameter<string> {
  return single(Type.String({ minLength: 1, maxLength: chars_max }), description, (text, name) => {
    if (text.length === 0 || (text.length > chars_max && [...text].length > chars_max))
      throw wrong(name, `${name} must have 1 to ${chars_max} characters.`)
    return text
  })
}

/** One of the given words. */
export function wordParameter<const T extends string>(words: readonly T[], description: string): Parameter<T> {
  const parameter = single(OneOf(...words), description, (text, name) => {
    const word = words.find((each) => each === text)
    if (word === undefined) throw wrong(name, unknownWord(name, text, words))
    return word
  })
  return { ...parameter, words }
}

function integer(text: string, name: string, minimum: number, maximum: number): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum))
    throw wrong(name, `${name} cannot be ${quoted(text)}. Use an integer from ${minimum} to ${maximum}.`)
  return value
}

function integerParameter(minimum: number, maximum: number, description: string): Parameter<number> {
  return single(Type.Integer({ minimum, maximum }), description, (text, name) => integer(text, name, minimum, maximum))
}

/** Unix seconds. */
export function secondsParameter(description: string): Parameter<number> {
  return integerParameter(0, limits.safe_integer_max, description)
}

export function booleanParameter(description: string): Parameter<boolean> {
  return single(Type.Boolean(), description, (text, name) => {
    if (text !== 'true' && text !== 'false') {
      throw wrong(name, `${name} cannot be ${quoted(text)}. Use true or false.`)
    }
    return text === 'true'
  })
}

/** Several ids or words of at most 160 characters each. */
export function listParameter(description: string): Parameter<readonly string[]> {
  return {
    schema: Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: limits.repeated_values_max }),
    many: true,
    required: false,
    description,
    read(texts, name) {
      if (texts.length > limits.repeated_values_max) {
        throw wrong(name, `${name} may be repeated at most ${limits.repeated_values_max} times.`)
      }
      for (const text of texts) {
        if (text.length === 0 || text.length > 160) throw wrong(name, `Each ${name} must have 1 to 160 characters.`)
      }
      return texts
    },
  }
}

/** Several of these words, each in a parameter of its own; another one is refused. */
export function wordListParameter<const T extends string>(
  words: readonly T[],
  description: string,
): Parameter<readonly T[]> {
  const list = listParameter(description)
  return {
    ...list,
    words,
    read: (texts, name) =>
      list.read(texts, name).map((text) => {
        const word = words.find((each) => each === text)
        if (word !== undefined) return word
        const several = text.includes(',') ? ' Repeat the parameter for several values.' : ''
        throw wrong(name, `${unknownWord(name, text, words)}${several}`)
      }),
  }
}

/** At most `count_max` distinct comma-separated names. `known` only documents them; the caller refuses others. */
export function namesParameter(
  count_max: number,
  description: string,
  known?: readonly string[],
): Parameter<readonly string[]> {
  const each = known === undefined ? Type.String({ minLength: 1 }) : OneOf(...known)
  const schema = Type.Array(each, { minItems: 1, maxItems: count_max, uniqueItems: true })
  const parameter = single(schema, description, (text, name) => {
    const names = text.split(',')
    if (names.length > count_max) throw wrong(name, `${name} may hold at most ${count_max} names.`)
    if (names.some((each) => each === '')) throw wrong(name, `${name} must be a comma-separated list of names.`)
    if (new Set(names).size !== names.length) throw wrong(name, `${name} names the same thing twice.`)
    return names
  })
  return { ...parameter, commas: true }
}

/** The same parameter, required. */
export function required<T>(parameter: Parameter<T>): Parameter<T> & { readonly required: true } {
  return { ...parameter, required: true }
}

export const limitParameter = integerParameter(
  1,
  limits.page_limit_max,
  'Maximum number of objects in the page, 1 to 100. Default: 20.',
)
/** A cursor. A malformed one is `cursor_invalid`, like one this server did not issue (contract/06#cursor-errors). */
function cursorLike(chars_max: number, form: RegExp, description: string): Parameter<string> {
  const schema = Type.String({ minLength: 1, maxLength: chars_max, pattern: form.source })
  return single(schema, description, (text, name) => {
    if (text.length > chars_max || !form.test(text)) throw refuse('cursor_invalid', { param: name })
    return text
  })
}

const id_form = /^[A-Za-z0-9][A-Za-z0-9:_-]*$/

export const startingAfter = cursorLike(
  limits.id_cursor_chars_max,
  id_form,
  'The `next_cursor` of the page before, or the id of an object of this list.',
)
export const endingBefore = cursorLike(
  limits.id_cursor_chars_max,
  id_form,
  'The id of the first object of a page: returns the page before it.',
)
export const cursorParameter = cursorLike(
  limits.cursor_chars_max,
  /^[A-Za-z0-9_-]+$/,
  'The `next_cursor` of the page before.',
)
export const fieldsParameter = namesParameter(
  limits.fields_max,
  'Names of the fields to return, separated by commas in a URL.',
)
