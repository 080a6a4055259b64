/** The parameter types of methods. */
import type { Call, CallParameter } from '../model/calls.ts'
import { oneOfSeveral, parameterText, plainParameters } from '../model/parameters.ts'
import { docComment } from './doc-comment.ts'
import { propertyName } from './names.ts'
import { type Types, typeText } from './type-text.ts'

/** The declaration of a method's parameters; empty without parameters. */
export function parametersText(call: Call, types: Types): string {
  const parameters = plainParameters(call)
  if (parameters.length === 0) return ''
  const fields = parameters.map((parameter) => {
    const { name, required } = parameter
    const comment = docComment(parameterText(parameter), '  ')
    const optional = required ? '' : '?'
    const type = `${typeOf(parameter, types)}${required ? '' : ' | undefined'}`
    return `${comment}  readonly ${propertyName(name)}${optional}: ${type}\n`
  })
  return `${docComment(call.summary)}export interface ${call.parametersType} {\n${fields.join('')}}\n`
}

/** A query parameter also accepts one value instead of a list. */
function typeOf(parameter: CallParameter, types: Types): string {
  if (parameter.place === 'content') return 'UploadContent'
  const type = typeText(parameter.schema, types, '  ')
  const item = oneOfSeveral(parameter)
  return item === null ? type : `${typeText(item, types, '  ')} | ${type}`
}
