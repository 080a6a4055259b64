/**
 * The result of a tool call: the API's answer as JSON text, once, with the next step: how to get the next page of a list,
 * or what to do after an error. Only errors, which are short, have `structuredContent` too: clients pass both on, and an
 * answer that is sent twice takes twice the context.
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Refusal } from '../api/declare/errors.ts'
import { selectFields } from '../api/request/select-fields.ts'
import { toolName } from '../derive/tools.ts'
import { adviceFor } from './advice.ts'
import type { ApiAnswer } from './api.ts'
import { key_argument, revision_argument } from './input-schema.ts'
import type { Arguments, ToolRequest } from './tool-request.ts'

type JsonBody = Record<string, unknown>

interface ListBody extends JsonBody {
  readonly data: readonly object[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

interface ErrorFacts {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly details?: readonly { readonly param: string; readonly message: string }[]
  readonly request_id?: string
}

export function toolResult(request: ToolRequest, given: Arguments, answer: ApiAnswer): CallToolResult {
  const body = readJson(answer.body)
  const meta = metaOf(request, answer)
  if (answer.status !== 200) return failed(errorOf(body, answer), answer, request, meta)
  const shown = request.operation.kind === 'list' ? selected(body as ListBody, request.select) : body
  const hint = request.operation.kind === 'list' ? nextPage(request, given, shown as ListBody) : null
  return {
    content: [
      { type: 'text', text: JSON.stringify(shown) },
      ...(hint === null ? [] : [{ type: 'text' as const, text: hint }]),
    ],
    _meta: meta,
  }
}

/** The result of a call whose arguments were refused before a request was sent. */
export function refusedResult(refusal: Refusal): CallToolResult {
  const { code, message, type, status, options } = refusal
  const param = options.param === undefined ? {} : { param: options.param }
  return failedResult({ type, code, message, ...param, status, what_to_do: adviceFor(code) })
}

/** The result of an unanswered call; its change may have been made. */
export function unreachableResult(request: ToolRequest, message: string): CallToolResult {
  const again =
    request.operation.kind === 'write'
      ? 'It is unknown whether the change was made. Call again with the same arguments and this idempotency_key; the change is made at most once.'
      : 'Call again. If it fails again, ask the user to check that the server is running and that the URL is right.'
  const key = keyOf(request)
  return failedResult({ type: 'api_error', code: 'unreachable', message, ...key, what_to_do: again })
}

function failed(error: ErrorFacts, answer: ApiAnswer, request: ToolRequest, meta: JsonBody): CallToolResult {
  const wait = Number(answer.header('retry-after') ?? Number.NaN)
  const retry = Number.isFinite(wait) ? { retry_after: wait } : {}
  // The key makes a retry safe; it is shown where a retry can succeed.
  const key = answer.status >= 500 || error.code === 'idempotency_in_progress' ? keyOf(request) : {}
  const param = error.param === undefined ? {} : { param: argumentOf(error.param) }
  const facts = { ...error, ...param, status: answer.status, ...retry, ...key, what_to_do: adviceFor(error.code) }
  return { ...failedResult(facts), _meta: meta }
}

interface ErrorResult extends ErrorFacts {
  readonly what_to_do: string
  readonly status?: number
  readonly retry_after?: number
  readonly [key_argument]?: string
}

function failedResult(error: ErrorResult): CallToolResult {
  const { details, retry_after, request_id, idempotency_key } = error
  const text = [
    `Error ${error.code}: ${error.message}`,
    ...(error.param === undefined ? [] : [`param: ${error.param}`]),
    ...(details === undefined ? [] : details.map((fault) => `- ${fault.param}: ${fault.message}`)),
    ...(retry_after === undefined ? [] : [`retry_after: ${retry_after} seconds`]),
    ...(idempotency_key === undefined ? [] : [`idempotency_key: ${idempotency_key}`]),
    ...(request_id === undefined ? [] : [`request_id: ${request_id}`]),
    `What to do: ${error.what_to_do}`,
  ].join('\n')
  return { isError: true, content: [{ type: 'text', text }], structuredContent: { error } }
}

/** The facts in an answer's headers. */
function metaOf(request: ToolRequest, answer: ApiAnswer): JsonBody {
  const remaining = answer.header('x-ratelimit-remaining')
  return {
    'atrium/request_id': answer.header('x-request-id'),
    'atrium/credits': request.operation.credits,
    ...(remaining === null ? {} : { 'atrium/credits_remaining': Number(remaining) }),
    ...(request.operation.kind === 'write' ? { 'atrium/idempotency_key': request.headers['idempotency-key'] } : {}),
    ...(answer.header('idempotent-replayed') === null ? {} : { 'atrium/replayed': true }),
  }
}

function keyOf({ headers }: ToolRequest): { readonly [key_argument]?: string } {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { [key_argument]: key }
}

/** The argument for a parameter; some arguments stand for headers. */
function argumentOf(param: string): string {
  if (param === 'Idempotency-Key') return key_argument
  return param === 'If-Match' ? revision_argument : param
}

function selected(list: ListBody, names: readonly string[] | null): ListBody {
  if (names === null) return list
  return { ...list, data: list.data.map((item) => selectFields(item, names)), fields_selected: true }
}

/** How to get the next page, or `null` at the end of the list. */
function nextPage({ operation }: ToolRequest, given: Arguments, list: ListBody): string | null {
  if (!list.has_more || list.next_cursor === null) return null
  const backwards = given.ending_before !== undefined && given.ending_before !== null
  const name = operation.paging === 'opaque' ? 'cursor' : backwards ? 'ending_before' : 'starting_after'
  return `There is more. Call ${toolName(operation.id)} with the same arguments and ${name} "${list.next_cursor}".`
}

function readJson(text: string): JsonBody {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as JsonBody) : {}
  } catch {
    return {}
  }
}

/** The error of an answer. A proxy between client and server may answer in another form. */
function errorOf(body: JsonBody, answer: ApiAnswer): ErrorFacts {
  const { error } = body as { error?: ErrorFacts }
  if (typeof error === 'object' && error !== null && typeof error.code === 'string') return error
  const message = `The server answered with status ${answer.status} and no Atrium error.`
  return { type: 'api_error', code: 'unexpected_answer', message }
}
