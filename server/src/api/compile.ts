/**
 * TypeBox's compiler, by a name that the build can give to it too: there it is one file and not hundreds. See `validate.ts`.
 * By itself it stops collecting errors at eight, of which each field that is unknown takes one without a word of its own.
 */
import { Settings } from 'typebox/system'
import { limits } from '../lib/limits.ts'

Settings.Set({ maxErrors: limits.schema_errors_max })

export { Compile } from 'typebox/compile'
