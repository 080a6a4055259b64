/** Validates a request: its key, query, body and preconditions. */

import { type Form, isUnicode, limit } from './forms.ts'
import { showsFields } from './lists.ts'
import type { ModelRequest } from './model-request.ts'
import type { Fields, Json } from './names.ts'
import type { OperationModel } from './operation.ts'
import { AmbiguousRequest, badBody, badQuery, Refused } from './refused.ts'

/** Whether a write is a dry run. */
export const isRehearsal = ({ operation, headers }: ModelRequest): boolean =>
  operation.method !== 'GET' && headers.prefer !== undefined && headers.prefer !== 'dry-run=false'

export function readKey({ keys }: ModelRequest): string {
  const [sent] = keys
  if (sent === undefined) throw new Refused('idempotency_key_required', 'Idempotency-Key')
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(sent)
  const key = quoted === null ? sent : (quoted[1] as string).replaceAll(/\\(.)/g, '$1')
  if (keys.length > 1 || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Refused('invalid_idempotency_key', 'Idempotency-Key')
  return key
}

/** A body that is not an object, or contains invalid text, is refused before its fields are read. */
export function checkBodyForm({ raw, body }: ModelRequest): void {
  if (raw !== null) throw badBody()
  const faults = body === undefined ? [] : textFaults(body as Json, '')
  if (faults.length > 0) throw badBody(faults)
}

/** Where a body has U+0000 or half a surrogate pair. */
function textFaults(value: Json, path: string): string[] {
  if (typeof value === 'string') return isUnicode(value) ? [] : [path]
  if (Array.isArray(value)) return value.flatMap((each, i) => textFaults(each, `${path}[${i}]`))
  return Object.entries(value ?? {}).flatMap(([name, each]) =>
    isUnicode(name) ? textFaults(each, path === '' ? name : `${path}.${name}`) : [path],
  )
}

const cursor: Form = {
  good: () => 'x',
  bad: [],
  faults: (value, path) => (value === '' || String(value).length > 1024 ? [path] : []),
}
const names: Form = { good: () => 'id', bad: [], faults: () => [] }
const place = names

/** All parameters of an operation. */
export function parametersOf(operation: OperationModel): Readonly<Record<string, Form>> {
  const { paging, selects, query = {} } = operation
  const pages: Record<string, Form> = paging === null ? {} : { limit }
  if (paging === 'id' || paging === 'id_forward') pages.starting_after = place
  if (paging === 'id') pages.ending_before = place
  if (paging === 'opaque') pages.cursor = cursor
  return { ...pages, ...(selects ? { fields: names } : {}), ...query }
}

const lenient: ReadonlySet<string> = new Set(['api.retrieve', 'me.retrieve', 'usage.retrieve'])

export function checkQuery(operation: OperationModel, { query, headers }: ModelRequest) {
  const single: Record<string, string> = {}
  const many: Record<string, string[]> = {}
  if (lenient.has(operation.id)) return { query: single, many }
  const known = parametersOf(operation)
  const faults: string[] =
    headers['service-version'] === undefined || headers['service-version'] === '2026-08-03' ? [] : ['Service-Version']
  for (const [sent, value] of query) {
    const name = sent.replace(/\[\]$/, '')
    const repeated = known[`${name}[]`]
    const form = repeated ?? (sent === name ? known[name] : undefined)
    if (form === undefined) faults.push(sent)
    else if (repeated !== undefined) {
      if (form.faults(value, name).length > 0) faults.push(name)
      many[name] = [...(many[name] ?? []), value]
    } else {
      if (name in single || form.faults(value, name).length > 0) faults.push(name)
      single[name] = value
    }
  }
  for (const name of operation.needsQuery ?? []) {
    if (!(name in single) && !(name in many)) faults.push(name)
  }
  const isBoth = single.starting_after !== undefined && single.ending_before !== undefined
  if (isBoth) faults.push('starting_after', 'ending_before')
  if (!showsFields(operation, single.fields)) faults.push('fields')
  const places = ['starting_after', 'ending_before', 'cursor'].filter(
    (name) => !/^[A-Za-z0-9_:~-]*$/.test(single[name] ?? '') || single[name] === '-',
  )
  if (faults.length > 0 && places.length > 0) throw new AmbiguousRequest()
  if (places.length > 0) throw new Refused('cursor_invalid', places)
  if (faults.length > 0) throw badQuery(faults)
  return { query: single, many }
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The body and its faults; throws at once unless If-Match may be at fault as well. */
export function bodyOf(
  { body: forms, needs = [] }: OperationModel,
  { body: sent, headers }: ModelRequest,
): { body: Fields; faults: string[] } {
  if (sent === undefined && needs.length > 0) throw badBody()
  const body = sent === undefined ? {} : sent
  if (!isRecord(body)) throw badBody()
  const faults: string[] = []
  for (const [name, value] of Object.entries(body)) {
    const form = forms?.[name]
    faults.push(...(form === undefined ? [name] : form.faults(value as Json, name)))
  }
  for (const name of needs) if (!(name in body)) faults.push(name)
  if (faults.length > 0) throw badBody(headers['if-match'] === undefined ? faults : [...faults, 'If-Match'])
  return { body, faults }
}

/** The revision that If-Match requires; `null`: any. */
export function readMatch(
  { method }: OperationModel,
  { headers }: ModelRequest,
  _faults: readonly string[],
): number | null {
  const sent = headers['if-match']
  if (sent === undefined || method === 'POST' || sent === '*') return null
  const found = /^"?(\d+)(?:-[^"]*)?"?$/.exec(sent)
  if (found === null) throw badBody('If-Match')
  return Number(found[1])
}
