/** Fields that several endpoints take. Bodies refuse what they do not name. */
import Type, { type TObject, type TSchema } from 'typebox'
import type { Mode } from '../api/caller.ts'
import { refuse } from '../api/errors.ts'
import { type Parameter, wordParameter } from '../api/parameters.ts'
import { OneOf } from '../api/shapes.ts'
import { limits } from '../lib/limits.ts'

/** What is looked up is not checked to be an address: nothing else is found. */
export const EmailText = Type.String({ minLength: 1, maxLength: limits.email_chars_max })
/** More than a password can have: whether it is a good one is said of new ones, in characters as people see them. */
export const PasswordText = Type.String({ minLength: 1, maxLength: 4 * limits.password_chars_max })
export const LinkToken = Type.String({ minLength: 1, maxLength: 200 })
export const RoleText = OneOf('owner', 'admin', 'member')
export const ModeText = OneOf('live', 'test')

export function body<T extends Record<string, TSchema>>(fields: T): TObject<T> {
  return Type.Object(fields, { additionalProperties: false })
}

/** One of a few words. */
export function choiceParameter<const T extends string>(...words: readonly T[]): Parameter<T> {
  return wordParameter(words, `one of ${words.join(', ')}`)
}

/** Whose data set: `live` unless said otherwise. */
export const modeParameter: Parameter<Mode> = {
  schema: ModeText,
  many: false,
  required: false,
  description: 'live (default) or test',
  read([text, ...more], name) {
    if (more.length === 0 && (text === 'live' || text === 'test')) return text
    throw refuse('invalid_query_parameter', { param: name, message: `${name} must be live or test.` })
  },
}
