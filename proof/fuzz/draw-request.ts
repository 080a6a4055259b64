/**
 * Requests for the document's operations: nearly valid ones from schemas, examples and what the lane knows, and the same with a
 * fault in path, query, headers or body.
 */
import type { Sent } from '../connection.ts'
import type { Dice } from '../dice.ts'
import type { DocumentedOperation, Parameter } from '../document.ts'
import { bytesOfText, jsonText, mutateText, mutateValue, strange } from './mutate.ts'
import { hardText } from './texts.ts'
import { fromExample, type Source, valueFor } from './values.ts'

export interface FuzzRequest {
  /** The operation expected to answer; `null` if none. */
  readonly operation: DocumentedOperation | null
  readonly sent: Sent
}

export interface Asker extends Source {
  readonly key: string
  readonly testKey: string
  /** Writes so far, which number the idempotency keys. */
  writes: number
}

/** Path segments in the place of an id that are not ids. */
const fixed = new Set(['count', 'batch', 'reorder', 'start', 'stream', '.', '..'])

const target_chars_max = 8 * 1024

type Pairs = [name: string, value: string][]

export function drawRequest(asker: Asker, operation: DocumentedOperation): FuzzRequest {
  const { dice } = asker
  const isWrong = dice.chance(0.45)
  const where = isWrong
    ? dice.pick(['path', 'query', 'headers', 'body', 'body', 'body', 'query', 'method'] as const)
    : null
  const path = pathOf(asker, operation, where === 'path')
  let query = queryOf(asker, operation)
  if (where === 'query') query = wrongQuery(dice, query)
  const search = query.map(([name, value]) => `${encoded(dice, name)}=${encoded(dice, value)}`).join('&')
  const headers = headersOf(asker, operation)
  const body = bodyOf(asker, operation, where === 'body')
  if (body !== undefined) headers.push(['Content-Type', 'application/json'])
  if (where === 'headers') wrongHeaders(asker, headers)
  const isOther = where === 'method' && dice.chance(0.3)
  const method = isOther
    ? dice.pick(['PUT', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'POST', 'GET', 'TRACE'])
    : operation.method
  const target = path.text + (search === '' ? '' : `?${search}`)
  // Longer targets are refused before routing.
  const isKnown = path.isWhole && method === operation.method && target.length <= target_chars_max
  return { operation: isKnown ? operation : null, sent: { method, target, headers, body } }
}

function pathOf(asker: Asker, operation: DocumentedOperation, isWrong: boolean): { text: string; isWhole: boolean } {
  const { dice, known } = asker
  let isWhole = true
  const near = known.nested(dice, operation.path)
  let place = 0
  const text = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => {
    const example = operation.parameters.find((each) => each.in === 'path' && each.name === name)?.example ?? ''
    const usual = near?.[place++] ?? known.id(dice, [String(example).split('_', 1)[0] as string])
    if (!isWrong || dice.chance(0.3)) return usual
    const wrong = dice.pick([
      known.id(dice, []),
      hardText(dice),
      mutateText(dice, usual),
      'x'.repeat(dice.pick([160, 161, 9000])),
    ])
    if (wrong === '' || fixed.has(wrong) || !wrong.isWellFormed()) isWhole = false
    return wrong.isWellFormed() ? encodeURIComponent(wrong) : '%ed%a0%80'
  })
  if (!isWrong || dice.chance(0.7)) return { text, isWhole }
  const strangePath = dice.pick([
    `${text}/`,
    `/${text}`,
    text.replace('/v1', '/V1'),
    `${text}%`,
    `${text}/%2e%2e`,
    text.replace('/v1/', '/v1/./'),
    `${text};a=b`,
  ])
  return { text: strangePath, isWhole: false }
}

function queryOf(asker: Asker, operation: DocumentedOperation): Pairs {
  const { dice } = asker
  const pairs: Pairs = []
  const parameters = operation.parameters.filter((each) => each.in === 'query')
  for (const parameter of parameters) {
    if (parameter.required !== true && !dice.chance(parameters.length > 6 ? 0.15 : 0.3)) continue
    pairs.push(...texts(asker, parameter).map((text): [string, string] => [parameter.name, text]))
  }
  return pairs
}

function texts(asker: Asker, parameter: Parameter): string[] {
  const value = valueFor(asker, parameter.schema, parameter.name)
  if (!Array.isArray(value)) return [String(value)]
  return parameter.explode === false ? [value.map(String).join(',')] : value.map(String)
}

function wrongQuery(dice: Dice, query: Pairs): Pairs {
  const pairs: Pairs = query.map(([name, value]) => [name, value])
  const one = pairs.length === 0 ? undefined : dice.pick(pairs)
  const roll = dice.int(0, 6)
  if (one === undefined || roll === 0)
    pairs.push([dice.pick(['limit', 'filter', 'fields', 'x', 'key', 'api_key', '__proto__']), hardText(dice)])
  else if (roll === 1) pairs.push([one[0], one[1]])
  else if (roll === 2) one[0] = `${one[0]}[]`
  else if (roll === 3) one[1] = mutateText(dice, one[1])
  else if (roll === 4) one[0] = mutateText(dice, one[0])
  else if (roll === 5) one[1] = `${one[1]},${one[1]}`
  else one[1] = String(strange(dice))
  return pairs
}

/** Percent-encoded, sometimes badly. */
function encoded(dice: Dice, text: string): string {
  const escaped = text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80'
  if (dice.chance(0.98)) return escaped
  return dice.pick([
    `${escaped}%`,
    `%zz${escaped}`,
    `%00${escaped}`,
    `%c0%af${escaped}`,
    `+${escaped}+`,
    `%FF${escaped}`,
  ])
}

function headersOf(asker: Asker, { method, parameters }: DocumentedOperation): Pairs {
  const { dice, known } = asker
  const roll = dice.unit()
  const headers: Pairs = []
  if (roll < 0.9) headers.push(['Authorization', `Bearer ${roll < 0.82 ? asker.key : asker.testKey}`])
  else if (roll < 0.95) headers.push(['X-Api-Key', asker.key])
  else if (roll < 0.98)
    headers.push([
      'Authorization',
      `Bearer ${mutateText(dice, asker.key)
        .replaceAll(/[^\x20-\x7e]/g, '')
        .slice(0, 4000)}`,
    ])
  if (method !== 'GET')
    headers.push(['Idempotency-Key', `k${dice.chance(0.96) ? ++asker.writes : dice.int(1, asker.writes + 1)}`])
  const takes = (name: string): boolean => parameters.some((each) => each.in === 'header' && each.name === name)
  if (takes('If-Match') && dice.chance(0.2))
    headers.push(['If-Match', dice.pick([known.tag(dice), '"1"', '2', '*', '"1", "2"', 'W/"3-x"'])])
  if (takes('If-None-Match') && dice.chance(0.2))
    headers.push(['If-None-Match', dice.pick([known.tag(dice), '*', 'W/"x"', '"'])])
  if (takes('Prefer') && dice.chance(0.08))
    headers.push(['Prefer', dice.pick(['dry-run', 'return=minimal, dry-run', 'dry-run=1', ';'])])
  if (takes('Last-Event-ID') && dice.chance(0.3)) headers.push(['Last-Event-ID', known.id(dice, ['evt'])])
  return headers
}

function wrongHeaders(asker: Asker, headers: Pairs): void {
  const { dice } = asker
  const text = hardText(dice)
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 9000)
  const added: [string, string] = dice.pick<[string, string]>([
    [
      'Content-Type',
      dice.pick([
        'text/plain',
        'application/json; charset=latin1',
        'application/json;charset="UTF-8"',
        'multipart/form-data',
        '',
      ]),
    ],
    ['Content-Encoding', dice.pick(['gzip', 'identity', 'br', ''])],
    ['Service-Version', dice.pick(['2026-08-03', 'never', '', text])],
    ['Idempotency-Key', dice.pick(['', '"', '"a\\"b"', 'x'.repeat(256), text])],
    ['If-Match', dice.pick(['', '"', '"x"', '1-', '9'.repeat(20), text])],
    ['If-None-Match', text],
    ['Authorization', dice.pick(['', 'Bearer', 'Basic YTpi', `bearer ${asker.key}`, `Bearer  ${asker.key}`, text])],
    ['Accept-Encoding', 'gzip;q=0, *'],
    ['Expect', dice.pick(['100-continue', '200-ok'])],
    ['Last-Event-ID', text],
    ['Prefer', text],
    ['X-Forwarded-For', text],
    ['Cookie', `a=${text}`],
  ])
  const at = headers.findIndex(([name]) => name === added[0])
  if (at < 0 || dice.chance(0.3)) headers.push(added)
  else if (dice.chance(0.2)) headers.splice(at, 1)
  else headers[at] = added
}

function bodyOf(
  asker: Asker,
  { body, isBodyRequired, example, method }: DocumentedOperation,
  isWrong: boolean,
): Buffer | undefined {
  const { dice } = asker
  if (body === null) return isWrong && dice.chance(0.2) ? Buffer.from(method === 'GET' ? '' : '{}') : undefined
  if (!isBodyRequired && dice.chance(0.4)) return undefined
  const isShown = example !== undefined && dice.chance(0.4)
  let value = isShown ? fromExample(asker, structuredClone(example)) : valueFor(asker, body, '')
  if (!isWrong) return Buffer.from(JSON.stringify(value))
  for (let more = true; more; more = dice.chance(0.4)) value = mutateValue(dice, value)
  return bytesOfText(dice, jsonText(dice, value))
}
