/**
 * Reads the content of an incoming webhook as expressions see it: a JSON or form body, the query, and the headers that the
 * trigger names. Invariant: what is returned fits the bounds, and its strings are well-formed (contract/16#incoming-webhooks).
 */
import { refuse } from '../../../api/declare/errors.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { parseStrictJson } from '../../../lib/strict-json.ts'
import type { HookRequest } from '../shared/hooks.ts'

export interface SentContent {
  readonly header: (name: string) => string | undefined
  readonly rawQuery: string
  readonly body: Buffer
}

type Fields = Readonly<Record<string, string | readonly string[]>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The request as expressions see it. Refuses with 400 what cannot be read or exceeds a bound. */
export function readContent(sent: SentContent, config: NodeOf<'trigger.webhook'>['config']): HookRequest {
  return {
    id: keyOfRequest(sent.header, config),
    body: readHookBody(sent),
    headers: namedHeaders(sent.header, config.headers ?? []),
    query: readFields(sent.rawQuery, (message) => refuse('invalid_query_parameter', { message })),
  }
}

/**
 * The key that identifies a request. Of a signed request only the signed id counts, because a person who has recorded the
 * request can change the others; GitHub signs none, so its delivery id is taken.
 */
function keyOfRequest(header: SentContent['header'], config: NodeOf<'trigger.webhook'>['config']): string | null {
  const names = config.secret === undefined ? unsigned_keys : keys_by_form[config.signature ?? 'standard']
  for (const name of names) {
    const key = header(name)
    if (key === undefined || key === '') continue
    if (key.length <= automation_limits.automation_hook_key_chars_max && /^[!-~]+$/.test(key)) return key
    const message = `${name} must have 1 to ${automation_limits.automation_hook_key_chars_max} printable characters of ASCII.`
    throw refuse('invalid_request_body', { param: name, message })
  }
  return null
}

const keys_by_form = { standard: ['webhook-id'], github: ['x-github-delivery'] } as const
const unsigned_keys = ['webhook-id', 'idempotency-key', 'x-github-delivery'] as const

function namedHeaders(header: SentContent['header'], names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name): [string, string][] => {
    const value = header(name)
    const cut = value?.slice(0, automation_limits.automation_hook_header_chars_max).replaceAll('\0', '')
    return cut === undefined ? [] : [[name, cut]]
  })
  return Object.fromEntries(found)
}

function readHookBody({ header, body }: SentContent): unknown {
  const coding = header('content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw refuse('invalid_request_body', { param: 'Content-Encoding', message: 'A compressed body is not accepted.' })
  }
  if (body.length === 0) return null
  const [type = ''] = (header('content-type') ?? 'application/json').split(';')
  const name = type.trim().toLowerCase()
  const isForm = name === 'application/x-www-form-urlencoded'
  if (!isForm && name !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(name)) {
    const message = 'Content-Type must be application/json or application/x-www-form-urlencoded.'
    throw refuse('invalid_request_body', { param: 'Content-Type', message })
  }
  const text = decoded(body)
  return isForm ? readFields(text, (message) => refuse('invalid_request_body', { message })) : readJson(text)
}

function decoded(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw refuse('invalid_request_body', { message: 'The body is not valid UTF-8.' })
  }
}

function readJson(text: string): unknown {
  const { automation_hook_depth_max: depth_max, automation_hook_containers_max: containers_max } = automation_limits
  const parsed = parseStrictJson(text, { depth_max, containers_max })
  if (parsed.ok) return parsed.value
  const param = parsed.path === '' ? {} : { param: parsed.path }
  throw refuse('invalid_request_body', { message: `The body cannot be read: ${parsed.message}.`, ...param })
}

/** The fields of a form or a query; a name that occurs several times has a list of its values. */
function readFields(text: string, fault: (message: string) => Error): Fields {
  const fields = new Map<string, string | string[]>()
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > automation_limits.automation_hook_fields_max)
      throw fault(`There are more than ${automation_limits.automation_hook_fields_max} fields.`)
    if (name === '__proto__') throw fault('The name __proto__ is not allowed.')
    if (`${name}${value}`.includes('\0')) throw fault('U+0000 is not allowed.')
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}
