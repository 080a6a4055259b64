/**
 * The request that a tool call stands for. Only what a URL and headers cannot carry is refused here; everything else,
 * unknown arguments too, goes to the API, whose refusals are the better ones.
 */
import { randomUUID } from 'node:crypto'
import { refuse } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import type { Parameter } from '../api/parameters.ts'
import { requireFields } from '../api/select-fields.ts'
import { newest_version } from '../api/version.ts'
import { limits } from '../lib/limits.ts'
import type { ApiRequest } from './api.ts'
import { key_argument, revision_argument, trial_argument } from './input-schema.ts'
import { all_fields, listFields } from './list-fields.ts'

export type Arguments = Readonly<Record<string, unknown>>

export interface ToolRequest extends ApiRequest {
  /** What is kept of each object of a list whose operation takes no `fields`. */
  readonly select: readonly string[] | null
}

/** Throws a Refusal for arguments that make no request. */
export function toolRequest(operation: Operation, given: Arguments): ToolRequest {
  const left = new Map(Object.entries(given))
  const headers = readHeaders(operation, left)
  const params = readPath(operation, left)
  const { inQuery, select } = readFields(operation, left)
  const query = new URLSearchParams(inQuery)
  const takesBody = operation.kind === 'write'
  for (const [name, value] of left) {
    if (takesBody && !(operation.method === 'DELETE' && Object.hasOwn(operation.query, name))) continue
    left.delete(name)
    for (const text of textsOf(name, value, operation.query[name])) query.append(name, text)
  }
  const body = takesBody && (left.size > 0 || !operation.bodyOptional) ? toJson(Object.fromEntries(left)) : null
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string))
  requireShortUrl(path, query, params)
  return {
    operation,
    params,
    path,
    query: query.toString(),
    body,
    headers: { ...headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
    select,
  }
}

/** Names the argument that is the longest. */
function requireShortUrl(path: string, query: URLSearchParams, params: Readonly<Record<string, string>>): void {
  if (path.length + 1 + query.toString().length <= limits.url_bytes_max) return
  const lengths = new Map<string, number>()
  for (const [name, text] of [...Object.entries(params), ...query]) {
    lengths.set(name, (lengths.get(name) ?? 0) + encodeURIComponent(text).length)
  }
  const [[longest]] = [...lengths].sort(([, a], [, b]) => b - a) as [[string, number]]
  throw wrong(longest, `The arguments are too long for a URL of ${limits.url_bytes_max} bytes, ${longest} above all.`)
}

/** The tools speak the newest version, whatever the key's own is. */
function readHeaders(operation: Operation, left: Map<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = { 'service-version': newest_version }
  if (operation.kind !== 'write') return headers
  headers['idempotency-key'] = take(left, key_argument) ?? randomUUID()
  const revision = take(left, revision_argument)
  if (revision !== null) headers['if-match'] = revision
  // What is not clearly false asks for a trial: a change must not happen because its safety was misspelt.
  const trial = left.get(trial_argument) ?? false
  left.delete(trial_argument)
  if (trial !== false && trial !== 'false') headers.prefer = 'dry-run'
  return headers
}

/** A text that travels in a header. */
function take(left: Map<string, unknown>, name: string): string | null {
  const value = left.get(name) ?? null
  left.delete(name)
  if (value === null) return null
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[\x20-\x7e]{1,1000}$/.test(text)) {
    const code = name === key_argument ? 'invalid_idempotency_key' : 'invalid_request_body'
    throw refuse(code, { param: name, message: `${name} must be a text of visible ASCII characters.` })
  }
  return text
}

function readPath(operation: Operation, left: Map<string, unknown>): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const value = left.get(name as string)
    left.delete(name as string)
    const isText = typeof value === 'string' && value !== '' && value.isWellFormed()
    if (!isText) throw wrong(name as string, `${name} is required: the id as a text.`)
    params[name as string] = value
  }
  return params
}

interface Selection {
  readonly inQuery: Record<string, string>
  readonly select: readonly string[] | null
}

/** What `fields` selects: by the API where the operation takes it, else here. */
function readFields(operation: Operation, left: Map<string, unknown>): Selection {
  const { lists, kind, fields } = operation
  if (kind !== 'list' || lists === null) return { inQuery: {}, select: null }
  const asked = left.get('fields') ?? listFields[lists.object] ?? [all_fields]
  left.delete('fields')
  const names = typeof asked === 'string' ? asked.split(',').map((name) => name.trim()) : asked
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== 'string')) {
    throw wrong('fields', 'fields must be an array of names.')
  }
  if (names.includes(all_fields)) return { inQuery: {}, select: null }
  if (fields) return { inQuery: { fields: names.join(',') }, select: null }
  requireFields(lists, names)
  return { inQuery: {}, select: names }
}

/** The texts of a parameter. Agents send null for what they leave out. */
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
  // `null` in a list is one of its values: tasks without an assignee.
  if (value === null) return 'null'
  throw wrong(name, `${name} must be a text, a number, true or false, or an array of such.`)
}

/** The body as it is sent, within the API's limit (decisions §5). */
function toJson(value: object): string {
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    // Far deeper than the API takes.
    throw refuse('invalid_request_body', { message: 'The arguments are nested too deeply.' })
  }
  if (Buffer.byteLength(text) <= limits.body_bytes_max) return text
  throw refuse('invalid_request_body', { message: `The arguments are over ${limits.body_bytes_max} bytes.` })
}

function wrong(param: string, message: string): Error {
  return refuse('invalid_query_parameter', { param, message })
}
