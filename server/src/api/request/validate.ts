/**
 * Checks input against the operation's declaration: query parameters, the body's format (Content-Type, size, strict JSON)
 * and the body's schema. Every refusal names the parameter; in a body it is a path such as `data[3].title`.
 */
import { createRequire } from 'node:module'
import type { TObject } from 'typebox'
import { type JsonBounds, parseStrictJson } from '../../lib/strict-json.ts'
import { refuse } from '../declare/errors.ts'
import type { Operation } from '../declare/operation.ts'
import type { Parameter } from '../declare/parameters.ts'
import { suggest } from '../declare/quoted.ts'
import type { Request } from '../declare/request.ts'
import { limits } from '../limits.ts'
import { faultsOf, type SchemaError, truncateForErrors } from './body-faults.ts'

/** The query's names and texts in order, percent-decoded. Refuses invalid UTF-8 and U+0000. */
export function readQuery(rawQuery: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  if (rawQuery === '') return found
  for (const part of rawQuery.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at), null)
    const value = decode(at < 0 ? '' : part.slice(at + 1), name)
    const texts = found.get(name)
    if (texts === undefined) found.set(name, [value])
    else texts.push(value)
  }
  return found
}

function decode(text: string, name: string | null): string {
  if (!text.includes('%') && !text.includes('+')) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refuse('invalid_query_parameter', {
      param: name ?? text.slice(0, 80),
      message: 'The query is not valid UTF-8.',
    })
  }
  if (decoded.includes('\0')) {
    throw refuse('invalid_query_parameter', {
      param: (name ?? decoded).replaceAll('\0', '').slice(0, 80),
      message: 'U+0000 is not allowed.',
    })
  }
  return decoded
}

/** The values of the declared parameters. Refuses undeclared ones (contract/02#query-parameters). */
export function readParameters(
  operation: Pick<Operation, 'query'>,
  texts: ReadonlyMap<string, string[]>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const merged = new Map<string, string[]>()
  for (const [sent, given] of texts) {
    const name = sent.endsWith('[]') ? sent.slice(0, -2) : sent
    const parameter = Object.hasOwn(operation.query, name) ? (operation.query[name] as Parameter<unknown>) : undefined
    if (parameter === undefined || (name !== sent && !parameter.many)) {
      const param = sent.slice(0, 160)
      const message = `This operation has no parameter "${param}".${suggest(param, Object.keys(operation.query))}`
      throw refuse('invalid_query_parameter', param === '' ? { message } : { param, message })
    }
    merged.set(name, [...(merged.get(name) ?? []), ...given])
  }
  for (const [name, given] of merged) {
    values[name] = (operation.query[name] as Parameter<unknown>).read(given, name)
  }
  for (const name in operation.query) {
    if ((operation.query[name] as Parameter<unknown>).required && values[name] === undefined) {
      throw refuse('invalid_query_parameter', { param: name, message: `${name} is required.` })
    }
  }
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    const message = 'starting_after and ending_before cannot be used together.'
    throw refuse('invalid_query_parameter', { param: 'ending_before', message })
  }
  return values
}

const content_type = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bounds of a client's JSON: within them, parsing and checking take a few tens of milliseconds. */
export function bodyBounds(depth_max: number): JsonBounds {
  return { depth_max, keys_max: limits.json_keys_max, containers_max: limits.json_containers_max }
}

/** The JSON value of the body; undefined for a missing optional body (contract/02#request-bodies). */
export async function readBody(operation: Pick<Operation, 'bodyOptional'>, request: Request): Promise<unknown> {
  const bytes = await request.body()
  const type = request.headers['content-type']
  if (bytes.length === 0 && operation.bodyOptional && type === undefined) return undefined
  if (type === undefined || !content_type.test(String(type))) {
    throw refuse('invalid_request_body', { param: 'Content-Type', message: 'Content-Type must be application/json.' })
  }
  if (request.headerValues('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) {
    throw refuse('invalid_request_body', { param: 'Content-Encoding', message: 'A compressed body is not accepted.' })
  }
  if (bytes.length === 0 && operation.bodyOptional) return undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw refuse('invalid_request_body', { message: 'The body is not valid UTF-8.' })
  }
  const parsed = parseStrictJson(text, bodyBounds(limits.json_depth_max))
  if (!parsed.ok) {
    throw refuse('invalid_request_body', {
      message: `The body cannot be read: ${parsed.message}.`,
      ...(parsed.path === '' ? {} : { param: parsed.path }),
    })
  }
  return parsed.value
}

/** The schema compiler has hundreds of modules. It is loaded with the first body, to keep the start fast. */
const load = createRequire(import.meta.url)
const compiler_file = import.meta.filename.endsWith('.ts') ? './compile.ts' : './compile.js'
let compiler: { Compile(schema: TObject): unknown } | null = null

type Checker = { Check(value: unknown): boolean; Errors(value: unknown): SchemaError[] }

const checkers = new WeakMap<TObject, Checker>()

function checkerOf(schema: TObject): Checker {
  let checker = checkers.get(schema)
  if (checker === undefined) {
    compiler ??= load(compiler_file) as { Compile(schema: TObject): unknown }
    checker = compiler.Compile(schema) as Checker
    checkers.set(schema, checker)
  }
  return checker
}

/** Returns the body if it fits the operation's schema; refuses it otherwise. */
export function checkBody(operation: Operation, value: unknown): Record<string, unknown> {
  return operation.body === null ? {} : checkShape(operation.body, value === undefined ? {} : value)
}

/** Returns the value if it fits the schema; refuses it otherwise. Used for bodies, commands and the console. */
export function checkShape(schema: TObject, value: unknown): Record<string, unknown> {
  const checker = checkerOf(schema)
  if (checker.Check(value)) return value as Record<string, unknown>
  const cut = truncateForErrors(schema, value)
  const faults = faultsOf(checker.Errors(cut), cut, schema)
  const first = faults[0] ?? { param: '', message: 'The body does not have the form that this operation takes.' }
  throw refuse('invalid_request_body', {
    message: first.message,
    ...(first.param === '' ? {} : { param: first.param }),
    details: faults,
  })
}
