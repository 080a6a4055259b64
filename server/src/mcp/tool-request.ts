/**
 * Turns a tool call into a request. It refuses only arguments that a URL or a header cannot carry. Everything else,
 * unknown arguments included, goes to the API, which has the better error messages.
 */
import { randomUUID } from 'node:crypto'
import { refuse } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import type { Parameter } from '../api/declare/parameters.ts'
import { newest_version } from '../api/declare/version.ts'
import { limits } from '../api/limits.ts'
import { requireFields } from '../api/request/select-fields.ts'
import type { ApiRequest } from './api.ts'
import { base64_argument, key_argument, revision_argument, text_argument, trial_argument } from './input-schema.ts'
import { all_fields, listFields } from './list-fields.ts'

export type Arguments = Readonly<Record<string, unknown>>

export interface ToolRequest extends ApiRequest {
  /** The fields to keep of each object in a list whose operation has no `fields` parameter. */
  readonly select: readonly string[] | null
}

/** Throws a Refusal for arguments that cannot be sent. `file`: the content of a file that is not among the arguments. */
export function toolRequest(operation: Operation, given: Arguments, file?: Blob): ToolRequest {
  const remaining = new Map(Object.entries(given))
  const headers = readHeaders(operation, remaining)
  const params = readPath(operation, remaining)
  const { inQuery, select } = readFields(operation, remaining)
  const query = new URLSearchParams(inQuery)
  const content = file ?? (operation.uploads ? takeContent(remaining) : null)
  const takesBody = operation.kind === 'write' && !operation.uploads
  for (const [name, value] of remaining) {
    if (takesBody && !(operation.method === 'DELETE' && Object.hasOwn(operation.query, name))) continue
    remaining.delete(name)
    for (const text of textsOf(name, value, operation.query[name])) query.append(name, text)
  }
  const body =
    takesBody && (remaining.size > 0 || !operation.bodyOptional) ? toJson(Object.fromEntries(remaining)) : null
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string))
  requireShortUrl(path, query, params)
  return {
    operation,
    params,
    path,
    query: query.toString(),
    body: content ?? body,
    headers: { ...headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
    select,
  }
}

/** The content of a file: text, or bytes in base64. */
function takeContent(remaining: Map<string, unknown>): Blob {
  const [text, encoded] = [remaining.get(text_argument) ?? null, remaining.get(base64_argument) ?? null]
  remaining.delete(text_argument)
  remaining.delete(base64_argument)
  const given = text ?? encoded
  if (typeof given !== 'string' || (text !== null && encoded !== null)) {
    const message = `Send the content either as ${text_argument} or as ${base64_argument}.`
    throw refuse('invalid_request_body', { param: text_argument, message })
  }
  const bytes = Buffer.from(given, text === null ? 'base64' : 'utf8')
  if (text === null && bytes.toString('base64').replaceAll('=', '') !== given.replaceAll('=', '')) {
    const message = `${base64_argument} is not base64 (RFC 4648 section 4).`
    throw refuse('invalid_request_body', { param: base64_argument, message })
  }
  if (bytes.length <= limits.body_bytes_max) return new Blob([bytes])
  const message = `The content has ${bytes.length} bytes, over the limit of ${limits.body_bytes_max}.`
  throw refuse('invalid_request_body', { param: text === null ? base64_argument : text_argument, message })
}

/** Refuses a URL over the limit and names the longest argument. */
function requireShortUrl(path: string, query: URLSearchParams, params: Readonly<Record<string, string>>): void {
  if (path.length + 1 + query.toString().length <= limits.url_bytes_max) return
  const lengths = new Map<string, number>()
  for (const [name, text] of [...Object.entries(params), ...query]) {
    lengths.set(name, (lengths.get(name) ?? 0) + encodeURIComponent(text).length)
  }
  const [[longest]] = [...lengths].sort(([, a], [, b]) => b - a) as [[string, number]]
  throw wrong(longest, `The arguments make a URL over ${limits.url_bytes_max} bytes. Shorten ${longest}.`)
}

/** Tools use the newest version of the API, whatever version the key has. */
function readHeaders(operation: Operation, remaining: Map<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = { 'service-version': newest_version }
  if (operation.kind !== 'write') return headers
  headers['idempotency-key'] = takeHeader(remaining, key_argument) ?? randomUUID()
  const revision = takeHeader(remaining, revision_argument)
  if (revision !== null) headers['if-match'] = revision
  // Any value but false requests a dry run, so that a misspelt value changes nothing.
  const trial = remaining.get(trial_argument) ?? false
  remaining.delete(trial_argument)
  if (trial !== false && trial !== 'false') headers.prefer = 'dry-run'
  return headers
}

/** Removes an argument that is sent as a header, and returns its text. */
function takeHeader(remaining: Map<string, unknown>, name: string): string | null {
  const value = remaining.get(name) ?? null
  remaining.delete(name)
  if (value === null) return null
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[\x20-\x7e]{1,1000}$/.test(text)) {
    const code = name === key_argument ? 'invalid_idempotency_key' : 'invalid_request_body'
    throw refuse(code, { param: name, message: `${name} must be a string of visible ASCII characters.` })
  }
  return text
}

function readPath(operation: Operation, remaining: Map<string, unknown>): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const value = remaining.get(name as string)
    remaining.delete(name as string)
    const isText = typeof value === 'string' && value !== '' && value.isWellFormed()
    if (!isText) throw wrong(name as string, `${name} is required: an id as a string.`)
    params[name as string] = value
  }
  return params
}

interface Selection {
  readonly inQuery: Record<string, string>
  readonly select: readonly string[] | null
}

/** Reads `fields`. The API selects the fields if the operation has that parameter; otherwise `tool-result.ts` does. */
function readFields(operation: Operation, remaining: Map<string, unknown>): Selection {
  const { lists, kind, fields } = operation
  if (kind !== 'list' || lists === null) return { inQuery: {}, select: null }
  const fieldsArgument = remaining.get('fields') ?? listFields[lists.object] ?? [all_fields]
  remaining.delete('fields')
  const names =
    typeof fieldsArgument === 'string' ? fieldsArgument.split(',').map((name) => name.trim()) : fieldsArgument
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== 'string')) {
    throw wrong('fields', 'fields must be an array of names.')
  }
  if (names.includes(all_fields)) return { inQuery: {}, select: null }
  if (fields) return { inQuery: { fields: names.join(',') }, select: null }
  requireFields(lists, names)
  return { inQuery: {}, select: names }
}

/** The values of a query parameter. Agents send `null` for omitted arguments. */
function textsOf(name: string, value: unknown, parameter: Parameter<unknown> | undefined): string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) {
    const texts = value.map((each) => textOf(name, each))
    return parameter?.commas ? [texts.join(',')] : texts
  }
  return [textOf(name, value)]
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  // In a list, `null` is a value: tasks without an assignee.
  if (value === null) return 'null'
  throw wrong(name, `${name} must be a string, a number, a boolean, or an array of these.`)
}

/** The body as JSON, within the API's limit (contract/05#request-limits). */
function toJson(value: object): string {
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    throw refuse('invalid_request_body', { message: 'The arguments are nested too deeply.' })
  }
  if (Buffer.byteLength(text) <= limits.body_bytes_max) return text
  throw refuse('invalid_request_body', {
    message: `The arguments are over the limit of ${limits.body_bytes_max} bytes.`,
  })
}

function wrong(param: string, message: string): Error {
  return refuse('invalid_query_parameter', { param, message })
}
