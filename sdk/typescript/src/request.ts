/** A call as a request: URL, headers and body. */
import { AtriumError } from './errors.ts'

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with `/v1`, with encoded ids. */
  readonly path: string
  readonly params?: object | undefined
  /** `false`: all parameters are in the query. */
  readonly body?: boolean
  /** For a request with a body: the parameters that are in the query. */
  readonly inQuery?: readonly string[]
  /** The parameter that is the body itself. */
  readonly content?: string
  /** Query parameters whose values are joined with commas. */
  readonly commas?: readonly string[]
  /** Query parameters named `name[]`. */
  readonly brackets?: readonly string[]
}

/**
 * The content of a file: text as UTF-8, bytes, a `Blob` (such as `await openAsBlob(path)` or a browser's `File`), or a stream. A
 * stream can be read only once, so a call that sends one is not repeated after a failure.
 */
export type UploadContent = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream<Uint8Array>

/** A path with its ids. An id that would change the path is refused before anything is sent. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return ids.reduce((text, id, i) => text + checked(id) + parts[i + 1], parts[0] as string)
}

function checked(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw new AtriumError(`An id must be a non-empty string, not ${JSON.stringify(id)}.`)
}

/** Path and query. */
export function target(outgoing: Outgoing): string {
  const { path, params = {}, body = true, inQuery = [], commas = [], brackets = [] } = outgoing
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || (body && !inQuery.includes(name))) continue
    if (commas.includes(name)) query.append(name, [value].flat().join(','))
    else for (const each of [value].flat()) query.append(brackets.includes(name) ? `${name}[]` : name, String(each))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

export interface Payload {
  readonly type: string
  readonly body: UploadContent
}

/** The body; undefined without one. */
export function payload({ method, params, body = true, inQuery = [], content }: Outgoing): Payload | undefined {
  if (!body || method === 'GET' || params === undefined) return undefined
  if (content !== undefined) return { type: upload_type, body: uploaded(params, content) }
  const entries = Object.entries(params).filter(([name]) => !inQuery.includes(name))
  return entries.length === 0
    ? undefined
    : { type: 'application/json', body: JSON.stringify(Object.fromEntries(entries)) }
}

const upload_type = 'application/octet-stream'

function uploaded(params: object, name: string): UploadContent {
  const value = (params as Readonly<Record<string, unknown>>)[name]
  const isBytes = value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob
  if (typeof value === 'string' || isBytes || value instanceof ReadableStream) return value as UploadContent
  throw new AtriumError(`${name} must be a string, bytes, a Blob or a ReadableStream.`)
}
