/**
 * Requests as bytes with the expected outcome: ambiguous messages must be refused and nothing after them answered; valid ones
 * in unusual form must each be answered, in order.
 */
import type { Dice } from '../dice.ts'

export interface WireCase {
  readonly name: string
  readonly bytes: Buffer
  /** How many requests it should count as. */
  readonly requests: number
  /**
   * The statuses in order; `refused`: at most one answer, an error; `any`: any number of answers, none of them a server error.
   */
  readonly expect: readonly number[] | 'refused' | 'any'
}

/** What an attacker smuggles; it must never be answered. */
const hidden = (key: string): string => `GET /v1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`

/** Pairs of headers that disagree about the end of the body; `#` is its length. */
const ambiguous: readonly string[] = [
  'Content-Length: #\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: #',
  'Content-Length: #\r\nContent-Length: 5',
  'Content-Length: 5\r\nContent-Length: #',
  'Content-Length: #\r\nTransfer-Encoding: xchunked',
  'Content-Length: #\r\nTransfer-Encoding : chunked',
  'Content-Length: #\r\nTransfer-Encoding:\tchunked',
  'Content-Length: #\r\nTransfer-Encoding: identity, chunked',
  'Content-Length: #\r\nTransfer-Encoding: chunked, identity',
  'Content-Length: #\r\nTransfer-Encoding: "chunked"',
  'Content-Length: #\r\nX: a\nTransfer-Encoding: chunked',
  'Content-Length: #\r\nX: a\rTransfer-Encoding: chunked',
  'Content-Length: #\r\nTransfer-Encoding:\r\n chunked',
  'Content-Length: #\r\n Transfer-Encoding: chunked',
  'Content-Length: #\r\nTRANSFER-ENCODING: CHUNKED',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, gzip',
  'Content-Length: +#',
  'Content-Length: -#',
  'Content-Length: 0x#',
  'Content-Length: #, #',
  'Content-Length: # 0',
  'Content-Length: #;',
  'Content-Length: ',
  'Content-Length: 9'.padEnd(60, '9'),
  'Content Length: #',
  'Content-Length : #',
  'Content-Length\u0000: #',
  'Content-Length: #\u0000',
  ': #',
  'no colon',
]

function smuggled(dice: Dice, key: string): WireCase {
  const lines = dice.pick(ambiguous)
  const body = `0\r\n\r\n${hidden(key)}`
  const head = lines.replaceAll('#', String(dice.pick([body.length, 5, body.length - 1])))
  const version = dice.pick(['1.1', '1.1', '1.1', '1.0'])
  const start = `POST /v1/workspaces HTTP/${version}\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: w\r\nContent-Type: application/json\r\n`
  return {
    name: `smuggled by ${JSON.stringify(lines)}`,
    bytes: latin(`${start}${head}\r\n\r\n${body}`),
    requests: 1,
    expect: 'refused',
  }
}

/** Chunks without a valid size or end. */
const broken_chunks: readonly string[] = [
  '-1\r\n{}\r\n',
  '0x2\r\n{}\r\n',
  ' 2\r\n{}\r\n',
  '2 \r\n{}\r\n',
  'G\r\n{}\r\n',
  '\r\n{}\r\n',
  'FFFFFFFFFFFFFFFFF\r\n{}\r\n',
  '2\n{}\r\n',
  '2\r{}\r\n',
  '2\r\n{}',
  '2\r\n{}\n',
  '2\r\n{}x\r\n',
  '2;a\nb\r\n{}\r\n',
  '2;a\rb\r\n{}\r\n',
  '2;\u0000\r\n{}\r\n',
  '3\r\n{}\r\n',
  '1\r\n{}\r\n',
]

function badChunks(dice: Dice, key: string): WireCase {
  const chunk = dice.pick(broken_chunks)
  const head = post(key, 'Transfer-Encoding: chunked')
  return {
    name: `chunk ${JSON.stringify(chunk)}`,
    bytes: latin(`${head}${chunk}0\r\n\r\n${hidden(key)}`),
    requests: 1,
    expect: 'refused',
  }
}

/** Heads that are not HTTP/1.x. */
const broken_heads: readonly string[] = [
  'GET /v1\u0000 HTTP/1.1\r\nHost: a',
  'GET /v1 HTTP/1.1\r\nHost: a\u0000b',
  'GET /v1 HTTP/1.1\r\nHo\u0000st: a',
  'GET /v1 HTTP/1.1\r\nHost : a',
  'GET /v1 HTTP/1.1\r\nHost: a\r\nX: a\u0001b',
  'GET /v1 HTTP/1.1\r\nHost: a\r\nX\u00e9: b',
  'GET /v1 HTTP/1.1\r\nHost: a\r\n X: b',
  'GET /v1 HTTP/1.1\r\nHost: a\r\nX: b\rY: c',
  'GET /v1 HTTP/1.1\nHost: a',
  'GET /v1 HTTP/1.1\r\nHost: a\r\nHost: b',
  'GET /v1 HTTP/1.1\r\nX: b',
  'GET /v1 HTTP/9.9\r\nHost: a',
  'GET /v1 http/1.1\r\nHost: a',
  'GET /v1 XTTP/1.1\r\nHost: a',
  'get /v1 HTTP/1.1\r\nHost: a',
  'GOT /v1 HTTP/1.1\r\nHost: a',
  'GET\t/v1\tHTTP/1.1\r\nHost: a',
  'GET /v1 HTTP/1.1 x\r\nHost: a',
  '/v1\r\nHost: a',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
  'PRI * HTTP/2.0',
]

function badHead(dice: Dice, key: string): WireCase {
  const head = dice.pick(broken_heads)
  return {
    name: `head ${JSON.stringify(head)}`,
    bytes: latin(`${head}\r\n\r\n${hidden(key)}`),
    requests: 1,
    expect: 'refused',
  }
}

/** The last request of a connection: the server closes after the answer. */
const farewell = 'GET /v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

function flood(dice: Dice, key: string): WireCase {
  const isOver = dice.chance(0.6)
  const [count, name, value] = dice.pick<[number, string, string]>([
    [1, 'x-long', 'a'.repeat(17_000)],
    [1800, 'h', 'aaaaa'],
    [400, 'x-header', 'b'.repeat(40)],
  ])
  const few = isOver ? count : Math.max(1, Math.floor(count / 4))
  const lines = Array.from({ length: few }, (_, i) => `${name}${i}: ${isOver ? value : value.slice(0, 20)}\r\n`).join(
    '',
  )
  const bytes = latin(`GET /v1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n${farewell}`)
  return { name: `${few} headers`, bytes, requests: 2, expect: isOver ? 'refused' : [200, 404] }
}

/** Valid requests with the statuses of their answers. */
function sound(key: string): readonly (readonly [text: string, status: number])[] {
  const authorized = `Host: a\r\nAuthorization: Bearer ${key}\r\n`
  const body = '{"title":"x","more":1}'
  return [
    [`GET /v1 HTTP/1.1\r\n${authorized}\r\n`, 200],
    [`GET http://atrium.example/v1 HTTP/1.1\r\n${authorized}\r\n`, 200],
    [`GET HTTP://a:80/v1 HTTP/1.1\r\n${authorized}\r\n`, 200],
    ['GET /v1/tasks HTTP/1.1\r\nHost: a\r\n\r\n', 401],
    ['GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    [`GET /v1/tasks/none HTTP/1.1\r\n${authorized}\r\n`, 404],
    [`OPTIONS * HTTP/1.1\r\n${authorized}\r\n`, 404],
    [`GET /v1/tasks?limit=x HTTP/1.1\r\n${authorized}\r\n`, 400],
    [`${post(key, `Content-Length: ${body.length}`)}${body}`, 400],
    [`${post(key, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, 400],
    [`${post(key, 'Transfer-Encoding: chunked')}1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: z\r\n\r\n`, 400],
    [`\r\nGET /v1 HTTP/1.1\r\n${authorized}\r\n`, 200],
  ]
}

function pipelined(dice: Dice, key: string): WireCase {
  const chosen = Array.from({ length: dice.int(1, 12) }, () => dice.pick(sound(key)))
  const bytes = latin(chosen.map(([text]) => text).join('') + farewell)
  return { name: 'pipelined', bytes, requests: chosen.length + 1, expect: [...chosen.map(([, status]) => status), 404] }
}

/** Swaps, cuts or doubles a part. */
function damaged(dice: Dice, key: string): WireCase {
  const { bytes, requests } = dice.pick([pipelined, smuggled, badChunks])(dice, key)
  let text = bytes.toString('latin1')
  for (let more = true; more; more = dice.chance(0.5)) {
    const at = dice.int(0, text.length)
    const inserted = dice.pick([
      '\r\n',
      '\n',
      '\r',
      '\0',
      ' ',
      ':',
      '\t',
      '0',
      '\r\n\r\n',
      'HTTP/1.1',
      String.fromCharCode(dice.int(0, 255)),
    ])
    text = text.slice(0, at) + inserted + text.slice(at + dice.pick([0, 0, 1, 1, 2, 30]))
  }
  return { name: 'damaged', bytes: latin(text), requests, expect: 'any' }
}

function post(key: string, line: string): string {
  return `POST /v1/workspaces HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: w\r\nContent-Type: application/json\r\n${line}\r\n\r\n`
}

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

const makers = [smuggled, smuggled, badChunks, badHead, flood, pipelined, pipelined, damaged, damaged]

export function wireCase(dice: Dice, key: string): WireCase {
  return dice.pick(makers)(dice, key)
}
