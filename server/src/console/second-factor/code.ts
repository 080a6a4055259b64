import Type from 'typebox'
import { console_limits } from '../limits.ts'

/** A code as it is typed: of an authenticator app, or a recovery code. */
export const SecondFactorCode = Type.String({ minLength: 1, maxLength: console_limits.second_factor_code_chars_max })
