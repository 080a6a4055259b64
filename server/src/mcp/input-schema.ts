/**
 * The input of a tool as one JSON Schema (2020-12), derived from the operation's declaration: path parameters, query
 * parameters, body fields, and arguments for the request headers.
 */
import type { Operation } from '../api/declare/operation.ts'
import { limits } from '../api/limits.ts'
import type { JsonObject } from '../derive/openapi/json.ts'
import { parametersOf } from '../derive/openapi/parameters.ts'
import { Schemas } from '../derive/openapi/schemas.ts'
import { all_fields, listFields } from './list-fields.ts'

/** Arguments that stand for headers. */
export const key_argument = 'idempotency_key'
export const revision_argument = 'if_match'
export const trial_argument = 'dry_run'
/** Arguments that stand for the content of a file. */
export const text_argument = 'text'
export const base64_argument = 'base64'

export interface InputSchema extends JsonObject {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonObject>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

const schemas = new Schemas([], 'inside')

export function inputSchema(operation: Operation): InputSchema {
  const { body, method, kind, query } = operation
  const inPath = parametersOf(operation, schemas, undefined).filter((parameter) => parameter.in === 'path')
  // The body of a DELETE holds `workspace`, which is also in its query.
  const inBody = body === null || method === 'DELETE' ? null : schemas.of(body)
  const inQuery = Object.entries(query).filter(([name]) => name !== 'fields')
  return {
    type: 'object',
    properties: compact({
      ...Object.fromEntries(inPath.map(({ name, schema, description }) => [name, described(schema, description)])),
      ...Object.fromEntries(
        inQuery.map(([name, { schema, description }]) => [name, described(schemas.of(schema), description)]),
      ),
      ...(inBody?.properties as Record<string, JsonObject> | undefined),
      ...(operation.uploads ? content : {}),
      ...(kind === 'list' ? { fields: fieldsOf(operation) } : {}),
      ...(kind === 'write' ? { [trial_argument]: trial, [key_argument]: idempotencyKey } : {}),
      ...(hasRevision(operation) ? { [revision_argument]: revision } : {}),
    }),
    required: [
      ...inPath.map(({ name }) => name as string),
      ...inQuery.filter(([, { required }]) => required).map(([name]) => name),
      ...((inBody?.required as string[] | undefined) ?? []),
    ],
    additionalProperties: false,
  }
}

/**
 * Leaves out what a model need not read: lengths of texts that have a pattern, which the server checks, and how to write a
 * value in a URL.
 */
function compact<T>(schema: T): T {
  if (typeof schema === 'string') return schema.replace(' In a URL, encode `+` as `%2B`.', '') as T
  if (Array.isArray(schema)) return schema.map(compact) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(
    ([keyword]) => !('pattern' in schema) || !/^m(?:in|ax)Length$/.test(keyword),
  )
  // The copy has the properties of the schema.
  return Object.fromEntries(entries.map(([name, value]) => [name, compact(value)])) as T
}

function described(schema: unknown, description: unknown): JsonObject {
  return { ...(schema as JsonObject), description }
}

function fieldsOf({ lists }: Operation): JsonObject {
  const names = Object.keys(lists?.schema.properties ?? {})
  const shown = listFields[lists?.object ?? '']
  const fallback = shown === undefined ? 'Default: all' : `Default: ${shown.join(', ')}`
  return {
    type: 'array',
    items: { type: 'string', enum: [...names, all_fields] },
    minItems: 1,
    maxItems: limits.fields_max,
    uniqueItems: true,
    description: `Fields of each object to return. ${fallback}; ["${all_fields}"] returns whole objects.`,
  }
}

const content: Readonly<Record<string, JsonObject>> = {
  [text_argument]: {
    type: 'string',
    description: `Content of a text file, sent as UTF-8, at most ${limits.body_bytes_max} bytes.`,
  },
  [base64_argument]: {
    type: 'string',
    description: `Content of any other file in base64, at most ${limits.body_bytes_max} bytes before encoding.`,
  },
}

const idempotencyKey: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: limits.idempotency_key_chars_max,
  description:
    'Identifies this change. A repeated call with the same key and arguments within 24 hours returns the first answer and changes nothing. Generated if omitted.',
}

const revision: JsonObject = {
  type: 'string',
  description: 'Make the change only if the object still has this revision, such as "7".',
}

const trial: JsonObject = {
  type: 'boolean',
  description: 'If true, changes nothing and returns what the call would answer, emit and cost. Costs 1 credit.',
}

/** Whether an operation accepts `If-Match`: a PATCH or DELETE of an object with a revision. */
function hasRevision({ kind, method, target }: Operation): boolean {
  return kind === 'write' && method !== 'POST' && target?.schema.properties.revision !== undefined
}
