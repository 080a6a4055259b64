/** One operation in the document: its declaration, its promise, and its recorded call. */

import type { TSchema } from 'typebox'
import type { Operation } from '../../api/declare/operation.ts'
import { DryRun } from '../../api/write/dry-run.ts'
import type { RecordedExample, RecordedExamples } from '../examples.ts'
import { headersOf, readHeaders, writeHeaders } from './headers.ts'
import { type JsonObject, present } from './json.ts'
import { parametersOf } from './parameters.ts'
import type { Refusals } from './refusals.ts'
import type { Schemas } from './schemas.ts'
import { tagOf } from './tags.ts'

export interface Parts {
  readonly schemas: Schemas
  readonly refusals: Refusals
  readonly promises: ReadonlyMap<string, string>
  readonly examples: RecordedExamples
}

export function operationObject(operation: Operation, parts: Parts): JsonObject {
  const { id, summary, scope, credits, emits } = operation
  const example = parts.examples.operations[id]
  return present({
    operationId: id,
    tags: [tagOf(id).name],
    summary,
    description: description(operation, parts.promises.get(id)),
    parameters: parametersOf(operation, parts.schemas, example),
    requestBody: requestBody(operation, parts.schemas, example),
    responses: {
      '200': success(operation, parts.schemas, example),
      ...(operation.method === 'GET' && !operation.streams
        ? { '304': { $ref: '#/components/responses/NotModified' } }
        : {}),
      ...parts.refusals.of(operation.errorClass),
    },
    'x-credits': credits,
    'x-scope': scope,
    'x-events': emits.map(({ type }) => type),
    'x-error-class': operation.errorClass,
    'x-paging': operation.paging ?? undefined,
    'x-extension': operation.extension || undefined,
  })
}

function description(operation: Operation, promise: string | undefined): string {
  const { scope, credits, emits } = operation
  const facts = [
    `Scope: ${scope === null ? 'none' : `\`${scope}\``}.`,
    `Credits: ${credits}.`,
    ...(emits.length === 0 ? [] : [`Events: ${emits.map(({ type }) => `\`${type}\``).join(', ')}.`]),
  ]
  return [promise, operation.description, facts.join(' ')]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')
}

/** A DELETE accepts its `workspace` in the query too, so the document shows no body for it. */
function requestBody(
  operation: Operation,
  schemas: Schemas,
  example: RecordedExample | undefined,
): JsonObject | undefined {
  const { body, bodyOptional, method, uploads } = operation
  if (uploads) return { required: true, description: 'The content of the file.', content: { [upload_type]: upload } }
  if (body === null || method === 'DELETE' || Object.keys(body.properties).length === 0) return undefined
  const content = present({ schema: schemas.of(body), example: example?.request.body })
  return { required: !bodyOptional, content: { 'application/json': content } }
}

/** Any type is accepted; this one says nothing about the content. */
const upload_type = 'application/octet-stream'
const upload = { schema: { type: 'string', format: 'binary' } }

function success(operation: Operation, schemas: Schemas, example: RecordedExample | undefined): JsonObject {
  if (operation.streams) return streamAnswer(example)
  const headers = operation.kind === 'write' ? writeHeaders : readHeaders
  const content = present({ schema: answerSchema(operation, schemas), example: example?.response.body })
  const rehearsed = operation.kind === 'write' ? { [dry_run]: { schema: rehearsal(operation, schemas) } } : {}
  return {
    description: describeSuccess(operation),
    headers: headersOf(headers),
    content: { 'application/json': content, ...rehearsed },
  }
}

/** The media type that marks the answer to `Prefer: dry-run`. */
const dry_run = 'application/json; profile=dry-run'

function rehearsal(operation: Operation, schemas: Schemas): JsonObject {
  const properties = { operation: { const: operation.id }, answer: schemas.of(operation.returns) }
  return { allOf: [schemas.of(DryRun), { type: 'object', properties }] }
}

function describeSuccess(operation: Operation): string {
  if (operation.kind === 'list') return 'A page of the list.'
  const { properties } = operation.returns as { properties?: { deleted?: unknown } }
  if (properties?.deleted !== undefined) return 'The deleted object.'
  return operation.kind === 'write' ? 'The object after the write.' : 'The object.'
}

function streamAnswer(example: RecordedExample | undefined): JsonObject {
  const frames =
    'Server-Sent Events: `retry: 3000` first, then per event a frame of `id`, `event` (its type) and `data` (the event on one line), ' +
    'and a comment every 15 seconds.'
  const content = present({ schema: { type: 'string' }, example: example?.response.text })
  return { description: frames, headers: headersOf(readHeaders), content: { 'text/event-stream': content } }
}

/** The answer. A list with `fields` has two shapes; `fields_selected` marks the second. */
function answerSchema(operation: Operation, schemas: Schemas): JsonObject {
  const { returns, lists, fields } = operation
  if (lists === null || !fields) return schemas.of(returns)
  // An operation that lists returns a list envelope.
  const { properties, required, ...rest } = returns as TSchema & ListSchema
  const { fields_selected, data, ...envelope } = properties
  const whole = schemas.of({ ...rest, required, properties: { ...envelope, data: { ...data, items: lists.schema } } })
  const marked = { ...envelope, data: { ...data, items: schemas.selected(lists.schema) }, fields_selected }
  const name = `Selected${schemas.nameOf({ ...lists.schema })}List`
  const selected = { ...rest, required: [...required, 'fields_selected'], properties: schemas.properties(marked) }
  return { anyOf: [whole, schemas.add(name, selected)] }
}

interface ListSchema extends JsonObject {
  readonly required: readonly string[]
  readonly properties: { readonly data: JsonObject; readonly fields_selected: JsonObject } & JsonObject
}
