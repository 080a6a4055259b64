/**
 * Query parameters: each declared with how its texts are read. A parameter typed by one of these refuses what it is
 * not with 400 `invalid_query_parameter` and its own name (decisions §2, §6).
 */
import Type, { type TSchema } from 'typebox'
import { isPublicId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { refuse } from './errors.ts'
import type { AnyNoun } from './noun.ts'
import { Id, OneOf } from './shapes.ts'

export interface Parameter<T> {
  readonly schema: TSchema
  /** Takes several values: repeated, or spelled `name[]` (repeating means OR, contract §4.1). */
  readonly many: boolean
  /** Takes several values in one text, with commas between. */
  readonly commas?: boolean
  readonly required: boolean
  /** Names an object of this noun: an unknown one is refused (decisions §2). */
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

/** An id as text; whether it stands for anything is another question. */
export function idParameter(description: string, refers?: AnyNoun): Parameter<string> {
  const parameter = single(Id, description, readId)
  return refers === undefined ? parameter : { ...parameter, refers }
}

function readId(text: string, name: string): string {
  if (!isPublicId(text)) throw wrong(name, `${name} must be an id of 1 to 160 characters.`)
  return text
}

export function textParameter(chars_max: number, description: string): Parameter<string> {
  return single(Type.String({ minLength: 1, maxLength: chars_max }), description, (text, name) => {
    if (text.length === 0 || (text.length > chars_max && [...text].length > chars_max))
      throw wrong(name, `${name} must have 1 to ${chars_max} characters.`)
    return text
  })
}

/** One of some words. */
export function wordParameter<const T extends string>(words: readonly T[], description: string): Parameter<T> {
  return single(OneOf(...words), description, (text, name) => {
    const word = words.find((each) => each === text)
    if (word === undefined) throw wrong(name, `${name} must be one of ${words.join(', ')}.`)
    return word
  })
}

function integer(text: string, name: string, minimum: number, maximum: number): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum))
    throw wrong(name, `${name} must be an integer from ${minimum} to ${maximum}.`)
  return value
}

export function integerParameter(minimum: number, maximum: number, description: string): Parameter<number> {
  return single(Type.Integer({ minimum, maximum }), description, (text, name) => integer(text, name, minimum, maximum))
}

/** Unix seconds. */
export function secondsParameter(description: string): Parameter<number> {
  return integerParameter(0, limits.safe_integer_max, description)
}

export function booleanParameter(description: string): Parameter<boolean> {
  return single(Type.Boolean(), description, (text, name) => {
    if (text !== 'true' && text !== 'false') throw wrong(name, `${name} must be true or false.`)
    return text === 'true'
  })
}

/** Several ids or words, each of at most 160 characters. */
export function listParameter(description: string, refers?: AnyNoun): Parameter<readonly string[]> {
  const parameter: Parameter<readonly string[]> = {
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
  return refers === undefined ? parameter : { ...parameter, refers }
}

/** Comma-separated names, at most `count_max`, each once; `known` is for the documents, the rule's own reader refuses others. */
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

/** The same parameter, but without it the request is refused. */
export function required<T>(parameter: Parameter<T>): Parameter<T> & { readonly required: true } {
  return { ...parameter, required: true }
}

export const limitParameter = integerParameter(1, limits.page_limit_max, 'How many objects, 1 to 100. 20 by default.')
/** A cursor: what is not of a cursor's form was not given here, like any other that was not (decisions §6). */
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
export const fieldsParameter = namesParameter(limits.fields_max, 'Comma-separated names of the fields to return.')
