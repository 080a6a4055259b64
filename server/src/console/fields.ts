/** Fields and parameters shared by several endpoints. */
import Type, { type TObject, type TSchema } from 'typebox'
import type { Mode } from '../api/declare/caller.ts'
import { refuse } from '../api/declare/errors.ts'
import { type Parameter, wordParameter } from '../api/declare/parameters.ts'
import { OneOf } from '../api/declare/shapes.ts'
import { limits } from '../api/limits.ts'
import { console_limits } from './limits.ts'

/** Used for lookups only, so its format is not checked. */
export const EmailText = Type.String({ minLength: 1, maxLength: limits.email_chars_max })
/** UTF-16 units, up to four for each character allowed. `requireGoodPassword` checks new passwords in characters. */
export const PasswordText = Type.String({ minLength: 1, maxLength: 4 * console_limits.password_chars_max })
export const LinkToken = Type.String({ minLength: 1, maxLength: 200 })
export const RoleText = OneOf('owner', 'admin', 'member', 'guest')
export const ModeText = OneOf('live', 'test')

/** A request body; unknown fields are refused. */
export function body<T extends Record<string, TSchema>>(fields: T): TObject<T> {
  return Type.Object(fields, { additionalProperties: false })
}

/** A parameter that accepts one of these words. */
export function choiceParameter<const T extends string>(...words: readonly T[]): Parameter<T> {
  return wordParameter(words, `one of ${words.join(', ')}`)
}

/** The realm's mode; `live` by default. */
export const modeParameter: Parameter<Mode> = {
  schema: ModeText,
  many: false,
  required: false,
  description: 'live (default) or test',
  read(values, name) {
    const [mode] = values
    if (values.length === 1 && (mode === 'live' || mode === 'test')) return mode
    const sent = values.join(',').slice(0, 80)
    throw refuse('invalid_query_parameter', {
      param: name,
      message: `\`${name}\` cannot be \`${sent}\`. Use live or test.`,
    })
  },
}
