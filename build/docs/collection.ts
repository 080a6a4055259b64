/**
 * The operations as a collection of requests in the format 2.1.0 of Postman, which Bruno, Insomnia and Hoppscotch read too: a folder for
 * each tag, a request for each operation with its recorded example, and two variables: `base_url` and `api_key`.
 */

export interface Collection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string }
  readonly auth: { readonly type: 'bearer'; readonly bearer: readonly Entry[] }
  readonly variable: readonly Entry[]
  readonly item: readonly Folder[]
}

interface Folder {
  readonly name: string
  readonly description?: string
  readonly item: readonly Item[]
}

interface Item {
  readonly name: string
  readonly request: Request
  readonly response: readonly object[]
}

export interface Request {
  readonly method: string
  readonly description: string
  readonly header: readonly Entry[]
  readonly url: {
    readonly raw: string
    readonly host: readonly string[]
    readonly path: readonly string[]
    readonly query: readonly Entry[]
    readonly variable: readonly Entry[]
  }
  readonly body?: object
}

export interface Entry {
  readonly key: string
  readonly value: string
  readonly type?: 'string'
  readonly description?: string
  /** Shown, but sent only when it is switched on. */
  readonly disabled?: boolean
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

interface Media {
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Record<string, Media> }>
  >
}

/** The parts of an OpenAPI document that a collection needs. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly variables: Readonly<Record<string, { readonly default: string }>> }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}

const format = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const indent = 2

export function collectionOf(document: OpenApi): Collection {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const base_url = document.servers[0]?.variables.base_url?.default ?? ''
  return {
    info: { name: document.info.title, description: document.info.description, schema: format },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: base_url, description: 'Base URL of the installation, without a slash at its end.' },
      { key: 'api_key', value: '', description: 'An API key. Do not share a collection with it.' },
    ],
    item: document.tags.flatMap(({ name, description }) => {
      const item = operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map((each) => itemOf(document, each))
      return item.length === 0 ? [] : [{ name, description, item }]
    }),
  }
}

interface Placed {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function itemOf(document: OpenApi, placed: Placed): Item {
  const { operation } = placed
  const request = requestOf(document, placed)
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? []
  const example = answer?.content?.['application/json']?.example
  const response = {
    name: answer?.description ?? operation.summary,
    originalRequest: request,
    code: Number(status),
    header: [{ key: 'Content-Type', value: 'application/json' }],
    body: JSON.stringify(example, null, indent),
  }
  return { name: operation.summary, request, response: example === undefined ? [] : [response] }
}

function requestOf(document: OpenApi, { path, method, operation }: Placed): Request {
  const parameters = (operation.parameters ?? []).map((each) => resolved(document, each))
  const of = (place: Parameter['in']) => parameters.filter((each) => each.in === place)
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'))
  const query = of('query').map((each) => ({ ...entryOf(each), disabled: each.example === undefined }))
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`)
  const body = bodyOf(operation)
  return {
    method: method.toUpperCase(),
    description: operation.description,
    header: [...of('header').map(headerOf), ...(body?.header ?? [])],
    url: {
      raw: `{{base_url}}/${segments.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
      host: ['{{base_url}}'],
      path: segments,
      query,
      variable: of('path').map(entryOf),
    },
    ...(body === null ? {} : { body: body.body }),
  }
}

function resolved(document: OpenApi, parameter: Parameter | { readonly $ref: string }): Parameter {
  if (!('$ref' in parameter)) return parameter
  const found = document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`${parameter.$ref} leads nowhere.`)
  return found
}

function entryOf({ name, description = '', example = '' }: Parameter): Entry {
  const value = Array.isArray(example) ? example.join(',') : String(example)
  return { key: name, value, description }
}

/** Each write has a new idempotency key; the other headers are there to be switched on. */
function headerOf(parameter: Parameter): Entry {
  const entry = entryOf(parameter)
  return parameter.name === 'Idempotency-Key' ? { ...entry, value: '{{$guid}}' } : { ...entry, disabled: true }
}

function bodyOf({ requestBody }: Operation): { readonly body: object; readonly header: readonly Entry[] } | null {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined) return null
  const header = [{ key: 'Content-Type', value: type }]
  if (type !== 'application/json') return { body: { mode: 'file', file: {} }, header }
  // An optional body of which the example has none.
  if (media?.example === undefined) return null
  const raw = JSON.stringify(media.example, null, indent)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } }, header }
}
