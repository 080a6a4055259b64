/**
 * The form of a body: type, size and JSON. Every violation is 400 `invalid_request_body` (contract/02#request-bodies).
 * `atrium conform` tries missing bodies, bodies of other types and unknown fields of each operation (server/test/conform).
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { http_limits } from '../../src/http/limits.ts'
import type { Reply } from '../call.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused } from './answers.ts'
import { head, sendBytes, sendFirst } from './wire.ts'

const MiB = 1024 * 1024

onEveryWorld('a request body', (world) => {
  const things = openFirst(() => populate(world))

  const raw = (text: string | Buffer, headers: Record<string, string> = {}) =>
    world.call('POST', '/v1/tasks', { raw: text, headers })
  /** The text of a valid task with `more` inserted. */
  const task = (more: string) => `{"workspace":"${things.id('workspace')}","title":"Body"${more}}`
  /** Sends a write with these header lines beside the required ones. */
  const send = (path: string, method: string, body: string | Buffer, ...lines: string[]): Promise<Reply> => {
    const own = [`Host: ${new URL(world.server.url).host}`, `Authorization: Bearer ${world.acme.key}`]
    const length = lines.some((line) => /^transfer-encoding/i.test(line))
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`]
    const start = head(`${method} ${path} HTTP/1.1`, ...own, `Idempotency-Key: ${randomUUID()}`, ...lines, ...length)
    return sendBytes(world.server.url, start, body)
  }

  it('must be application/json; only charset=utf-8 is accepted as a parameter', async () => {
    const json = '{"title":"Typed"}'
    const good = [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
    ]
    for (const type of good) {
      assert.equal((await send('/v1/workspaces', 'POST', json, `Content-Type: ${type}`)).status, 200, type)
    }
    const bad = [
      '',
      'json',
      'application',
      'application/',
      '/json',
      'text/json',
      'text/plain',
      'application/jsonp',
      'application/vnd.api+json',
      'application/problem+json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json; charset=',
      'application/json; version=1',
      'application/json, text/plain',
      '*/*',
      'application/*',
      'application/json;;',
      'a/b/c; =',
      '\u00e4',
    ]
    for (const type of bad) {
      const reply = await send('/v1/workspaces', 'POST', json, `Content-Type: ${type}`)
      assertRefused(reply, 'invalid_request_body', 'Content-Type', JSON.stringify(type))
    }
    assertRefused(await send('/v1/workspaces', 'POST', json), 'invalid_request_body', 'Content-Type')
  })

  it('must not be compressed', async () => {
    for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x']) {
      const reply = await raw('{"title":"x"}', { 'content-encoding': coding })
      assertRefused(reply, 'invalid_request_body', 'Content-Encoding', coding)
    }
    assert.equal((await raw(task(''), { 'content-encoding': 'identity' })).status, 200)
  })

  it('is checked after the credential: a wrong type without one is 401', async () => {
    const reply = await world.call('POST', '/v1/workspaces', {
      key: null,
      raw: 'x',
      headers: { 'content-type': 'json' },
    })
    assertRefused(reply, 'missing_api_key')
  })

  const wrong_names = [' \t\n', '\u0007\u001f\u0085', '\u200b\u2060\ufeff', '\u3164', 'a\u202egpj.exe', '\u202dx']

  it('has no title or name without a visible character, and none with a direction override', async () => {
    let fields = 0
    for (const operation of catalogue.filter((each) => each.body !== null && each.kind === 'write')) {
      const properties = operation.body?.properties as Record<string, { type?: string }>
      for (const name of ['title', 'name', 'category'].filter((field) => properties[field]?.type === 'string')) {
        fields++
        const call = await things.call(operation)
        for (const text of wrong_names) {
          const reply = await sendCall(things, call, { body: { ...(call.body as object), [name]: text } })
          assertRefused(reply, 'invalid_request_body', name, `${operation.id} ${JSON.stringify(text)}`)
        }
      }
    }
    assert.ok(fields >= 20, String(fields))
    const workspace = things.id('workspace')
    for (const text of wrong_names) {
      const options = [{ name: 'Fine' }, { name: text }]
      const field = await world.post('/v1/custom_fields', {
        workspace,
        key: 'stage',
        name: 'Stage',
        type: 'select',
        options,
      })
      assertRefused(field, 'invalid_request_body', 'options[1].name', JSON.stringify(text))
      const file = await world.post(`/v1/files?workspace=${workspace}&name=${encodeURIComponent(text)}`, {})
      assertRefused(file, 'invalid_query_parameter', 'name', JSON.stringify(text))
    }
    for (const title of [' x ', '\u2067שלום\u2069 ok', '👩‍👩‍👧', '\u00ad-', 'a\tb']) {
      const reply = await world.post('/v1/tasks', { workspace: things.id('workspace'), title })
      assert.deepEqual([reply.status, reply.body.title], [200, title])
    }
  })

  it('has no time after the year 9999', async () => {
    const due = (due_at: number) => world.post('/v1/tasks', { workspace: things.id('workspace'), title: 'Due', due_at })
    assert.equal((await due(253_402_300_799)).body.due_at, 253_402_300_799)
    assertRefused(await due(253_402_300_800), 'invalid_request_body', 'due_at')
  })

  it('is limited to 1 MiB, with Content-Length and in chunks', async () => {
    const padded = (size: number) => {
      const text = task('')
      return text + ' '.repeat(size - Buffer.byteLength(text))
    }
    const type = 'Content-Type: application/json'
    assert.equal((await send('/v1/tasks', 'POST', padded(MiB), type)).status, 200)
    const over = await send('/v1/tasks', 'POST', padded(MiB + 1), type)
    assertRefused(over, 'invalid_request_body', null)
    assert.match(over.body.error.message, /1048576/)
    const chunked = (size: number) => {
      const half = padded(size)
      const parts = [half.slice(0, 700_000), half.slice(700_000)]
      return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
    }
    assert.equal((await send('/v1/tasks', 'POST', chunked(MiB), type, 'Transfer-Encoding: chunked')).status, 200)
    const refused = await send('/v1/tasks', 'POST', chunked(MiB + 1), type, 'Transfer-Encoding: chunked')
    assertRefused(refused, 'invalid_request_body', null)
    const huge = head(
      'POST /v1/tasks HTTP/1.1',
      `Host: x`,
      `Authorization: Bearer ${world.acme.key}`,
      'Idempotency-Key: huge',
      type,
      'Content-Length: 99999999999',
    )
    assertRefused(await sendBytes(world.server.url, huge), 'invalid_request_body', null)
    assert.equal((await world.get('/v1/me')).status, 200)
  })

  it('that is refused while it arrives still gets its answer', async () => {
    const { body_bytes_linger_max } = http_limits
    const start = (length: number) =>
      head(
        'POST /v1/tasks HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${world.acme.key}`,
        'Idempotency-Key: early',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
      )
    const whole = await sendFirst(
      world.server.url,
      start(body_bytes_linger_max),
      Buffer.alloc(MiB),
      body_bytes_linger_max,
    )
    assert.equal(whole.sent, body_bytes_linger_max)
    assertRefused(whole.reply as Reply, 'invalid_request_body', null)
    assert.equal(whole.reply?.headers.connection, 'close')
    const endless = await sendFirst(
      world.server.url,
      start(99_999_999_999),
      Buffer.alloc(MiB),
      8 * body_bytes_linger_max,
    )
    assert.ok(endless.sent < 8 * body_bytes_linger_max, `${endless.sent} bytes were taken`)
  })

  it('is limited to 32 levels', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const deep = (depth: number) => task(`,"custom_fields":{"a":${nested(depth - 2)}}`)
    const fits = await raw(deep(32))
    assertRefused(fits, 'invalid_request_body')
    assert.doesNotMatch(fits.body.error.message, /deep/)
    const over = await raw(deep(33))
    assertRefused(over, 'invalid_request_body')
    assert.match(over.body.error.message, /deep/)
    assertRefused(await raw(nested(400_000)), 'invalid_request_body')
    assertRefused(await raw('{"a":'.repeat(100_000)), 'invalid_request_body')
  })

  it('must be strict JSON in UTF-8', async () => {
    const bad: (string | Buffer)[] = [
      '{',
      '{}{}',
      '{} x',
      "{'title':1}",
      '{title:1}',
      task(','),
      task(',"labels":[1,]'),
      task(',"labels":[,]'),
      task(',/* comment */"labels":[]'),
      task(',"position":01'),
      task(',"position":+1'),
      task(',"position":.5'),
      task(',"position":1.'),
      task(',"position":0x1f'),
      task(',"position":NaN'),
      task(',"position":Infinity'),
      task(',"labels":undefined'),
      task(',"description":"a\nb"'),
      task(',"description":"a\tb"'),
      task(',"description":"\\x41"'),
      task(',"description":"\\u12"'),
      task(',"description":"open'),
      `\ufeff${task('')}`,
      `${task('')}\u0000`,
      `${task('')}\u00a0`,
      Buffer.from(task(',"description":"\u00e9"'), 'latin1'),
      Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      Buffer.from(task(''), 'utf16le'),
    ]
    for (const text of bad) {
      assertRefused(await raw(text), 'invalid_request_body', undefined, JSON.stringify(text.toString()).slice(0, 120))
    }
  })

  it('must not contain duplicate keys, invalid Unicode or inexact numbers', async () => {
    const bad: [text: string, param: string][] = [
      [task(',"title":"again"'), 'title'],
      [task(',"t\\u0069tle":"again"'), 'title'],
      [task(',"custom_fields":{"a":1,"a":1}'), 'custom_fields.a'],
      [task(',"description":"a\\u0000b"'), 'description'],
      [task(',"description":"\\ud800"'), 'description'],
      [task(',"description":"\\udc00\\ud800"'), 'description'],
      [task(',"labels":["ok","\\ud83d"]'), 'labels[1]'],
      [task(',"custom_fields":{"a":"\\udfff"}'), 'custom_fields.a'],
      [task(',"__proto__":{"status":"done"}'), '__proto__'],
      [task(',"custom_fields":{"__proto__":1}'), 'custom_fields.__proto__'],
      [task(',"custom_fields":{"\\u005f_proto__":1}'), 'custom_fields.__proto__'],
      [task(',"due_at":1e400'), 'due_at'],
      [task(',"custom_fields":{"a":1e999}'), 'custom_fields.a'],
      [task(',"custom_fields":{"a":9007199254740993}'), 'custom_fields.a'],
      [task(',"custom_fields":{"a":-9007199254740993}'), 'custom_fields.a'],
    ]
    for (const [text, param] of bad) assertRefused(await raw(text), 'invalid_request_body', param, text)
  })

  it('is stored as sent: every Unicode plane, no normalization, exact numbers', async () => {
    const title = 'e\u0301 \u00e9 \u{1f600} \u200b \u202a\u202c \uffff \u0001'
    const description = 'a \u202e b'
    const custom_fields = { constructor: 'x', a: 0.1, b: 1e21, c: -9007199254740991, d: 5e-324, e: '', f: false }
    const sent = {
      workspace: things.id('workspace'),
      title,
      description,
      custom_fields,
      labels: ['constructor', '__proto__'],
    }
    const made = await world.post('/v1/tasks', sent)
    assert.equal(made.status, 200, made.text)
    const { body } = await world.get(`/v1/tasks/${made.body.id}`)
    assert.deepEqual([body.title, body.description], [title, description])
    assert.deepEqual(body.custom_fields, custom_fields)
    assert.deepEqual(body.labels, sent.labels)
    const patched = await world.patch(`/v1/tasks/${made.body.id}`, { custom_fields: { constructor: null, a: 2 } })
    const { constructor: _gone, ...kept } = custom_fields
    assert.deepEqual(patched.body.custom_fields, { ...kept, a: 2 })
  })

  it('is ignored on a GET', async () => {
    const reply = await send('/v1/me', 'GET', 'whatever', 'Content-Type: nonsense')
    assert.deepEqual([reply.status, reply.body.object], [200, 'api_identity'])
  })
})
