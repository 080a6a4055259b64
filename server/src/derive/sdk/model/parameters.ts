/** What is said about a parameter, and which parameters decide the shape of the answer. */
import type { Call, CallParameter } from './calls.ts'
import type { Schema } from './document.ts'

/** Parameters that decide the shape of the answer; the methods' signatures declare them. */
const deciding = ['fields', 'expand']

/** The parameter of this name, if it decides the shape of the answer. */
export function decider(call: Call, name: 'fields' | 'expand'): CallParameter | null {
  return call.parameters.find((parameter) => parameter.name === name && parameter.form === 'commas') ?? null
}

export function plainParameters(call: Call): readonly CallParameter[] {
  return call.parameters.filter(({ name, form }) => form !== 'commas' || !deciding.includes(name))
}

/** The description of a parameter with its bounds. The SDK takes care of how it is repeated in the URL. */
export function parameterText({ schema, description }: CallParameter): string {
  return boundedText(schema, description?.replace(/ May be repeated.*$/, ' Matches any of several values.'))
}

/** The schema of one value, if the parameter also accepts one value instead of a list; otherwise `null`. */
export function oneOfSeveral({ schema, place, form }: CallParameter): Schema | null {
  return place === 'query' && form === 'repeated' ? (schema.items ?? null) : null
}

/** The list with the same events as a stream; it gives the position of the stream before its first event. */
export function logOf(call: Call, all: readonly Call[]): Call {
  const list = all.find(({ kind, path }) => kind === 'list' && call.path.startsWith(`${path}/`))
  if (list === undefined) throw new Error(`${call.id} streams events of no list`)
  return list
}

const id_pattern = '^[A-Za-z0-9][A-Za-z0-9:_-]*$'
const time_max = 8_640_000_000_000

/** The description of a field in a request, with the bounds of its schema. */
export function boundedText(schema: Schema, description = schema.description): string {
  const bounds = boundsOf(schema)
  if (description === undefined) return schema.pattern === id_pattern ? 'An id.' : bounds
  const said = /[.!?]$/.test(description) ? description : `${description}.`
  return bounds === '' || said.includes(bounds.slice(0, -1)) ? said : `${said} ${bounds}`
}

function boundsOf(schema: Schema): string {
  if (schema.pattern === id_pattern) return ''
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema
  if (maxLength !== undefined) return `${range(minLength, maxLength)} characters.`
  if (maxItems !== undefined) return `${range(minItems, maxItems)} items.`
  if (maximum !== undefined && maximum < time_max) return `${range(minimum, maximum)}.`
  return minimum === undefined || minimum === 0 || maximum !== undefined ? '' : `At least ${minimum}.`
}

function range(min: number | undefined, max: number): string {
  return min === undefined || min === 0 ? `At most ${max}` : `${min} to ${max}`
}
