/** The types of what methods take. */
import type { Call, CallParameter } from './calls.ts'
import { docComment, told } from './doc-comment.ts'
import type { Schema } from './document.ts'
import { propertyName } from './names.ts'
import { type Types, typeText } from './type-text.ts'

/** Which fields and which ids as objects: they decide what is answered, and stand in the methods' own signatures. */
const deciding = ['fields', 'expand']

/** The parameter of this name that decides about the form of the answer. */
export function decider(call: Call, name: 'fields' | 'expand'): CallParameter | null {
  return call.parameters.find((parameter) => parameter.name === name && parameter.form === 'commas') ?? null
}

export function plainParameters(call: Call): readonly CallParameter[] {
  return call.parameters.filter(({ name, form }) => form !== 'commas' || !deciding.includes(name))
}

/** The declaration of a method's parameters; nothing where it takes none. */
export function parametersText(call: Call, types: Types): string {
  const parameters = plainParameters(call)
  if (parameters.length === 0) return ''
  const fields = parameters.map((parameter) => {
    const { name, required } = parameter
    const comment = docComment(told(parameter.schema, spoken(parameter)), '  ')
    const optional = required ? '' : '?'
    const type = `${typeOf(parameter, types)}${required ? '' : ' | undefined'}`
    return `${comment}  readonly ${propertyName(name)}${optional}: ${type}\n`
  })
  return `${docComment(call.summary)}export interface ${call.parametersType} {\n${fields.join('')}}\n`
}

/** How a parameter is repeated in the URL concerns the SDK only. */
function spoken({ description }: CallParameter): string | undefined {
  return description?.replace(/ May be repeated.*$/, ' Of several values any.')
}

/** Of a query one value does for a list of one. */
function typeOf({ schema, place, form }: CallParameter, types: Types): string {
  const type = typeText(schema, types, '  ')
  const items: Schema | undefined = schema.items
  return place === 'query' && form === 'repeated' && items !== undefined
    ? `${typeText(items, types, '  ')} | ${type}`
    : type
}
