/** The parameters of an operation: path, query and request headers. */
import type { Operation } from '../../api/declare/operation.ts'
import type { Parameter } from '../../api/declare/parameters.ts'
import { Id } from '../../api/declare/shapes.ts'
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
    ...inPath.map((name, i) => pathParameter(name, nounAt(operation, i, inPath.length), example)),
    ...Object.entries(operation.query).map(([name, parameter]) =>
      queryParameter(operation, name, parameter, schemas, example),
    ),
    ...headersTaken(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function pathParameter(
  name: string,
  noun: { readonly object: string } | null,
  example: RecordedExample | undefined,
): JsonObject {
  const object = name.endsWith('_id') || noun === null ? name.replace(/_id$/, '') : noun.object
  const also = object === 'task' ? ' or key (`KEP-42`)' : ''
  return present({
    name,
    in: 'path',
    required: true,
    description: `Id${also} of the ${spoken(object === 'id' ? 'object' : object)}.`,
    schema: schemaOfId,
    example: example?.request.params[name],
  })
}

/** The noun whose id is at this place of the path. The only id of a path without target names the parent. */
function nounAt(operation: Operation, i: number, count: number): { readonly object: string } | null {
  const { target, parent, kind } = operation
  const namesParent = i < count - 1 || kind === 'list' || (count === 1 && target === null && parent !== null)
  return namesParent ? parent : (target ?? shown(operation))
}

const schemaOfId: JsonObject = { ...Id }

/** The object that a read answers with, if the declaration has no noun. */
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
  const several =
    parameter.many && !bracketed ? ` May be repeated, also as \`${name}[]\`; matches any of the values.` : ''
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

/** `fields` with the names that it accepts. */
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
