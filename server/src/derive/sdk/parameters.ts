/** The parameter types of methods. */
import type { Call, CallParameter } from './calls.ts'
import { boundedText, docComment } from './doc-comment.ts'
import type { Schema } from './document.ts'
import { propertyName } from './names.ts'
import { type Types, typeText } from './type-text.ts'

/** Parameters that decide the shape of the answer; the methods' signatures declare them. */
const deciding = ['fields', 'expand']

/** The parameter of this name, if it decides the shape of the answer. */
export function decider(call: Call, name: 'fields' | 'expand'): CallParameter | null {
  return call.parameters.find((parameter) => parameter.name === name && parameter.form === 'commas') ?? null
}

export function plainParameters(call: Call): readonly CallParameter[] {
  return call.parameters.filter(({ name, form }) => form !== 'commas' || !deciding.includes(name))
}

/** The declaration of a method's parameters; empty without parameters. */
export function parametersText(call: Call, types: Types): string {
  const parameters = plainParameters(call)
  if (parameters.length === 0) return ''
  const fields = parameters.map((parameter) => {
    const { name, required } = parameter
    const comment = docComment(boundedText(parameter.schema, spoken(parameter)), '  ')
    const optional = required ? '' : '?'
    const type = `${typeOf(parameter, types)}${required ? '' : ' | undefined'}`
    return `${comment}  readonly ${propertyName(name)}${optional}: ${type}\n`
  })
  return `${docComment(call.summary)}export interface ${call.parametersType} {\n${fields.join('')}}\n`
}

/** The SDK takes care of how a parameter is repeated in the URL. */
function spoken({ description }: CallParameter): string | undefined {
  return description?.replace(/ May be repeated.*$/, ' Matches any of several values.')
}

/** A query parameter also accepts one value instead of a list. */
function typeOf({ schema, place, form }: CallParameter, types: Types): string {
  if (place === 'content') return 'UploadContent'
  const type = typeText(schema, types, '  ')
  const items: Schema | undefined = schema.items
  return place === 'query' && form === 'repeated' && items !== undefined
    ? `${typeText(items, types, '  ')} | ${type}`
    : type
}
