/**
 * TypeBox's compiler as a module of its own: the build bundles its hundreds of files into one, and `validate.ts` loads it
 * late. Its default of eight collected errors is too few, because each unknown field uses one without a message.
 */
import { Settings } from 'typebox/system'
import { limits } from '../limits.ts'

Settings.Set({ maxErrors: limits.schema_errors_max })

export { Compile } from 'typebox/compile'
