/** The request that a command line describes: path, query, body, headers. Input that is certainly wrong is not sent. */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Operation } from '../../api/declare/operation.ts'
import { quoted } from '../../lib/quoted.ts'
import type { JsonValue } from '../../lib/strict-json.ts'
import type { Sending } from '../client/http.ts'
import { readContent, readText } from '../client/read-in.ts'
import { spelled, UsageError } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { readField, readJson, readWholeList } from './field-types.ts'
import { type Flag, flagsOf } from './flags.ts'
import type { Words } from './words.ts'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  /** Without what pages add. */
  readonly query: readonly (readonly [name: string, text: string])[]
  readonly body: string | Blob | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Of a write. */
  readonly idempotencyKey: string | null
}

export async function requestOf(operation: Operation, words: Words): Promise<ApiRequest> {
  const flags = flagsOf(operation)
  const { client, given } = words
  const writes = operation.kind === 'write'
  for (const name of ['input', 'dryRun', 'idempotencyKey'] as const) {
    if (!writes && client[name] !== undefined)
      throw new UsageError(`${operation.id} only reads: it takes no --${spelled(name, '-')}.`, spelled(name, '_'))
  }
  if (operation.uploads) return await uploadOf(operation, words)
  const body = writes ? await bodyOf(flags, words) : undefined
  requireAll(operation, flags, given, body)
  return described(operation, words, given, body === undefined ? undefined : JSON.stringify(body))
}

/** The content of a file is the body; its name is that of the file unless another is given. */
async function uploadOf(operation: Operation, words: Words): Promise<ApiRequest> {
  const path = words.client.input as string | undefined
  if (path === undefined) throw new UsageError(`${operation.id} needs --input, the file to upload.`, 'input')
  const isNamed = path === '-' || words.given.has('name')
  const given = isNamed ? words.given : new Map([...words.given, ['name', [basename(path)]]])
  requireAll(operation, flagsOf(operation), given, undefined)
  const content = await readContent(path, cli_limits.client_input_bytes_max)
  return described(operation, words, given, content)
}

function described(operation: Operation, { client }: Words, given: Words['given'], body: string | Blob | undefined) {
  const writes = operation.kind === 'write'
  const key = writes ? ((client.idempotencyKey as string | undefined) ?? `cli-${randomUUID()}`) : null
  return {
    method: operation.method,
    path: pathOf(operation, given),
    query: queryOf(flagsOf(operation), given),
    body,
    headers: {
      ...(operation.uploads ? { 'content-type': 'application/octet-stream' } : {}),
      ...(key === null ? {} : { 'idempotency-key': headerText(key, 'idempotency_key') }),
      ...(client.ifMatch === undefined ? {} : { 'if-match': headerText(client.ifMatch as string, 'if_match') }),
      ...(client.dryRun === undefined ? {} : { prefer: 'dry-run' }),
    },
    idempotencyKey: key,
  }
}

/** The request with these further parameters. */
export function sendingOf({ method, path, query, body, headers }: ApiRequest, more: [string, string][] = []): Sending {
  const text = new URLSearchParams([...query.map(([name, value]) => [name, value]), ...more]).toString()
  return { method, path: text === '' ? path : `${path}?${text}`, headers, ...(body === undefined ? {} : { body }) }
}

function headerText(text: string, param: string): string {
  if (!/^[\x20-\x7e]+$/.test(text))
    throw new UsageError(`--${param.replaceAll('_', '-')} must consist of printable ASCII characters.`, param)
  return text
}

function requireAll(
  operation: Operation,
  flags: readonly Flag[],
  given: Words['given'],
  body: Record<string, JsonValue> | undefined,
): void {
  const missing = flags.filter(
    ({ field, place, required }) =>
      required && (place === 'body' ? body === undefined || !Object.hasOwn(body, field) : !given.has(field)),
  )
  const first = missing[0]
  if (first === undefined) return
  const names = missing.map(({ name }) => `--${name}`).join(', ')
  throw new UsageError(`${operation.id} needs ${names}. See atrium api ${operation.id} --help.`, first.field)
}

function pathOf(operation: Operation, given: Words['given']): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const [id = ''] = given.get(name) ?? []
    // An empty id or dots would be another path.
    if (id === '' || id === '.' || id === '..')
      throw new UsageError(`--${name} cannot be ${quoted(id)}. Give the id of an object.`, name)
    return encodeURIComponent(id)
  })
}

function queryOf(flags: readonly Flag[], given: Words['given']): [string, string][] {
  const query: [string, string][] = []
  for (const flag of flags) {
    const texts = given.get(flag.field)
    if (flag.place !== 'query' || texts === undefined) continue
    const read = texts.map((text) => String(typed(flag, text)))
    if (flag.commas) query.push([flag.field, read.join(',')])
    else for (const text of read) query.push([flag.field, text])
  }
  return query
}

async function bodyOf(
  flags: readonly Flag[],
  { client, given }: Words,
): Promise<Record<string, JsonValue> | undefined> {
  const input = client.input as string | undefined
  const body: Record<string, JsonValue> = input === undefined ? {} : await readInput(input)
  let any = input !== undefined
  for (const flag of flags) {
    const texts = given.get(flag.field)
    if (flag.place !== 'body' || texts === undefined) continue
    body[flag.field] = await fieldOf(flag, texts)
    any = true
  }
  return any ? body : undefined
}

async function readInput(path: string): Promise<Record<string, JsonValue>> {
  const read = readJson(await readText(path, cli_limits.client_input_bytes_max))
  const { value } = read.ok ? read : { value: null }
  if (!read.ok) throw new UsageError(`--input ${read.message}.`, 'input')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('--input must be a JSON object.', 'input')
  }
  return value as Record<string, JsonValue>
}

async function fieldOf(flag: Flag, texts: readonly string[]): Promise<JsonValue> {
  const read: string[] = []
  for (const text of texts) read.push(await contentOf(text))
  if (flag.type.kind !== 'list') return typed(flag, read[0] as string)
  const whole = read.length === 1 ? readWholeList(read[0] as string) : undefined
  if (whole !== undefined) return [...whole]
  if (flag.type.nullable && read.length === 1 && read[0] === 'null') return null
  return read.map((text) => typed(flag, text))
}

/** `@file` stands for its content, `@-` for standard input, `@@` for an @ at the beginning. */
async function contentOf(text: string): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1)
  return text.startsWith('@') ? await readText(text.slice(1), cli_limits.client_input_bytes_max) : text
}

function typed(flag: Flag, text: string): JsonValue {
  const read = readField(flag.type, text)
  if (!read.ok) throw new UsageError(`--${flag.name} ${read.message}.`, flag.field)
  return read.value
}
