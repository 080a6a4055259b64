/** The generated part of every SDK. A further language is a folder with an emitter like these, and a line here. */
import type { ErrorAdvice } from '../error-guide.ts'
import type { JsonObject } from '../openapi/json.ts'
import { type Model, modelOf } from './model/model.ts'
import { pythonFiles } from './python/files.ts'
import { typescriptFiles } from './typescript/files.ts'

/** Writes the generated files of one language: path from the repository's root → content. */
type Emitter = (model: Model) => Readonly<Record<string, string>>

const emitters: readonly Emitter[] = [typescriptFiles, pythonFiles]

/** Path from the repository's root → content. */
export function sdkFiles(
  openApi: JsonObject,
  guide: Readonly<Record<string, ErrorAdvice>>,
): Readonly<Record<string, string>> {
  const model = modelOf(openApi, guide)
  return Object.assign({}, ...emitters.map((emit) => emit(model)))
}
