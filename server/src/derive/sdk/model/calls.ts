/** The operations of the document as methods of an SDK: name, parameters and answer. */
import { pascal } from '../../openapi/json.ts'
import { type Document, type DocumentOperation, type DocumentParameter, referred, type Schema } from './document.ts'
import { accessorOf, idArguments } from './names.ts'

/** A parameter besides the ids of the path. */
export interface CallParameter {
  readonly name: string
  readonly schema: Schema
  readonly description: string | undefined
  readonly required: boolean
  /** `content`: the body itself, which is not JSON. */
  readonly place: 'query' | 'body' | 'content'
  /** `status=a&status=b`, `fields=a,b`, `types[]=a`. */
  readonly form: 'repeated' | 'commas' | 'brackets'
}

export interface Call {
  readonly id: string
  /** The first part of the id: `task_comments`. */
  readonly resource: string
  /** Names are in words: `time_entries`, `rotate_secret`. */
  readonly accessor: readonly string[]
  readonly method: string
  readonly httpMethod: string
  readonly path: string
  readonly ids: readonly { readonly name: string; readonly argument: string }[]
  readonly parameters: readonly CallParameter[]
  /** The name of the type of its parameters. */
  readonly parametersType: string
  readonly kind: 'one' | 'list' | 'stream'
  /** Of a list: an item. */
  readonly answer: Schema
  /** The parameter that takes the cursor of the next page. */
  readonly cursor: 'starting_after' | 'cursor' | null
  readonly revisioned: boolean
  readonly tag: string
  readonly summary: string
  readonly description: string
}

export function callsOf(document: Document): Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(document, path, method.toUpperCase(), operation)),
  )
}

function callOf(document: Document, path: string, httpMethod: string, operation: DocumentOperation): Call {
  const { operationId: id } = operation
  const [resource, verb] = [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)]
  const accessor = accessorOf(resource, path)
  const paging = operation['x-paging']
  const content = operation.responses['200']?.content ?? {}
  const streams = content['text/event-stream'] !== undefined
  return {
    id,
    resource,
    accessor,
    method: verb,
    httpMethod,
    path,
    ids: idArguments(path, accessor.length > 1),
    parameters: parametersOf(operation),
    parametersType: `${pascal(resource)}${pascal(verb)}Params`,
    kind: streams ? 'stream' : paging === undefined ? 'one' : 'list',
    answer: paging === undefined ? (content['application/json']?.schema ?? {}) : itemOf(document, content),
    cursor: paging === undefined ? null : paging === 'opaque' ? 'cursor' : 'starting_after',
    revisioned: operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IfMatch')) ?? false,
    tag: operation.tags[0] ?? resource,
    summary: operation.summary,
    description: operation.description,
  }
}

/** The item of a list: that of the answer without `fields_selected`. */
function itemOf(document: Document, content: Readonly<Record<string, { readonly schema: Schema }>>): Schema {
  const { schema = {} } = content['application/json'] ?? {}
  const [whole] = schema.anyOf ?? [schema]
  const name = referred(whole ?? {})
  const list = name === null ? whole : document.components.schemas[name]
  return list?.properties?.data?.items ?? {}
}

function parametersOf(operation: DocumentOperation): CallParameter[] {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(queryParameter)
  const { requestBody } = operation
  const uploaded = requestBody?.content['application/octet-stream']
  if (uploaded !== undefined) return [...query, contentParameter(uploaded.schema, requestBody?.description)]
  const schema = requestBody?.content['application/json']?.schema
  const required = new Set(schema?.required)
  const body = Object.entries(schema?.properties ?? {}).map(([name, field]): CallParameter => {
    return {
      name,
      schema: field,
      description: field.description,
      required: required.has(name),
      place: 'body',
      form: 'repeated',
    }
  })
  const twice = query.find(({ name }) => body.some((field) => field.name === name))
  if (twice !== undefined) throw new Error(`${operation.operationId}: ${twice.name} is in the query and in the body`)
  return [...query, ...body]
}

function contentParameter(schema: Schema, description: string | undefined): CallParameter {
  return { name: 'content', schema, description, required: true, place: 'content', form: 'repeated' }
}

function queryParameter({ name = '', schema = {}, description, required, explode }: DocumentParameter): CallParameter {
  const bracketed = name.endsWith('[]')
  return {
    name: bracketed ? name.slice(0, -2) : name,
    schema,
    description,
    required: required ?? false,
    place: 'query',
    form: bracketed ? 'brackets' : explode === false ? 'commas' : 'repeated',
  }
}
