/** The parameters of an operation: its path, its query, and the headers that it takes. */
import type { Operation } from '../../api/operation.ts'
import type { Parameter } from '../../api/parameters.ts'
import { Id } from '../../api/shapes.ts'
import type { RecordedExample } from '../examples.ts'
import type { RequestHeader } from './headers.ts'
import { type JsonObject, present, spoken } from './json.ts'
import type { Schemas } from './schemas.ts'

export function parametersOf(
  operation: Operation,
  schemas: Schemas,
  example: RecordedExample | undefined,
): JsonObject[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  return [
    ...inPath.map((name, i) => pathParameter(operation, name, i === inPath.length - 1, example)),
    ...Object.entries(operation.query).map(([name, parameter]) =>
      queryParameter(operation, name, parameter, schemas, example),
    ),
    ...headersTaken(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function pathParameter(
  operation: Operation,
  name: string,
  isLast: boolean,
  example: RecordedExample | undefined,
): JsonObject {
  const noun = isLast && operation.kind !== 'list' ? (operation.target ?? shown(operation)) : operation.parent
  const object = name.endsWith('_id') || noun === null ? name.replace(/_id$/, '') : noun.object
  const also = object === 'task' ? ' or key (`KEP-42`)' : ''
  return present({
    name,
    in: 'path',
    required: true,
    description: `The id${also} of the ${spoken(object === 'id' ? 'object' : object)}.`,
    schema: schemaOfId,
    example: example?.request.params[name],
  })
}

const schemaOfId: JsonObject = { ...Id }

/** What the answer of a read is about, where the declaration names no noun. */
function shown(operation: Operation): { readonly object: string } | null {
  const { properties } = operation.returns as { properties?: { object?: { const?: string } } }
  const object = properties?.object?.const
  return object === undefined ? null : { object }
}

function queryParameter(
  operation: Operation,
  name: string,
  parameter: Parameter<unknown>,
  schemas: Schemas,
  example: RecordedExample | undefined,
): JsonObject {
  const bracketed = operation.example.query?.[`${name}[]`] !== undefined
  const spelled = bracketed ? `${name}[]` : name
  const several = parameter.many && !bracketed ? ` May be repeated, also as \`${name}[]\`: any of the values.` : ''
  const sent = example?.request.query[spelled]
  return present({
    name: spelled,
    in: 'query',
    required: parameter.required || undefined,
    description: `${parameter.description}${several}`,
    ...(parameter.many ? { style: 'form', explode: true } : parameter.commas ? { style: 'form', explode: false } : {}),
    schema: name === 'fields' ? fieldsOf(operation, parameter, schemas) : schemas.of(parameter.schema),
    example: sent === undefined ? undefined : asSent(parameter, sent),
  })
}

/** Which names `fields` takes. */
function fieldsOf(operation: Operation, parameter: Parameter<unknown>, schemas: Schemas): JsonObject {
  const names = Object.keys(operation.lists?.schema.properties ?? {})
  return { ...schemas.of(parameter.schema), items: { type: 'string', enum: names } }
}

function asSent(parameter: Parameter<unknown>, sent: string): unknown {
  if (parameter.many) return [sent]
  if (parameter.commas) return sent.split(',')
  const { type } = parameter.schema as { type?: string }
  return type === 'integer' || type === 'number' ? Number(sent) : type === 'boolean' ? sent === 'true' : sent
}

function headersTaken(operation: Operation): RequestHeader[] {
  const names: RequestHeader[] = []
  if (operation.kind === 'write') names.push('IdempotencyKey', 'Prefer')
  if (hasRevision(operation) && operation.method !== 'POST' && operation.kind === 'write') names.push('IfMatch')
  if (operation.kind !== 'write' && !operation.streams) names.push('IfNoneMatch')
  if (operation.streams) names.push('LastEventId')
  names.push('ServiceVersion')
  return names
}

function hasRevision({ target }: Operation): boolean {
  return target?.schema.properties.revision !== undefined
}
