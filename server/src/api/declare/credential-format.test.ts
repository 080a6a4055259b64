import assert from 'node:assert/strict'
import test from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { assertLinear } from '../../../test/linear.ts'
import {
  looksLikeCredential,
  makeCredential,
  readCredential,
  redactCredentials,
  urlHoldsCredential,
} from './credential-format.ts'

const kinds = ['api_key', 'access_token'] as const
const modes = ['live', 'test'] as const
const key = makeCredential('api_key', 'live')
const token = makeCredential('access_token', 'test')

const encodeAll = (text: string) =>
  text.replace(/./gs, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

test('a credential has the format of its kind and mode and ends with a checksum of all characters before it', () => {
  for (const kind of kinds) {
    for (const mode of modes) {
      const text = makeCredential(kind, mode)
      assert.match(text, new RegExp(`^${kind === 'api_key' ? 'atr' : 'atr_at'}_${mode}_[0-9A-Za-z]{36}$`))
      assert.deepEqual(readCredential(text), { kind, mode })
    }
  }
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const sum = [...key.slice(-6)].reduce((number, digit) => number * 62 + digits.indexOf(digit), 0)
  assert.equal(sum, crc32(key.slice(0, -6)))
})

test('10,000 new credentials are all different', () => {
  const made = new Set(Array.from({ length: 10_000 }, () => makeCredential('api_key', 'test')))
  assert.equal(made.size, 10_000)
})

test('a wrong character and two swapped characters are found by the checksum', () => {
  for (const text of [key, token]) {
    for (let i = 0; i < text.length; i++) {
      const wrong = text[i] === 'x' ? 'y' : 'x'
      assert.equal(readCredential(text.slice(0, i) + wrong + text.slice(i + 1)), null, `character ${i}`)
      if (text[i] !== text[i + 1] && i + 1 < text.length) {
        assert.equal(readCredential(text.slice(0, i) + text[i + 1] + text[i] + text.slice(i + 2)), null, `swap at ${i}`)
      }
    }
  }
})

test('text that is not exactly a credential reads as null', () => {
  const bad = [
    '',
    'atr_',
    'atr_live_',
    `${key} `,
    ` ${key}`,
    `${key}\n`,
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    key.toUpperCase(),
    `Bearer ${key}`,
    key.replace('live', 'test'),
    key.replace('atr_', 'atr_at_'),
    token.replace('atr_at_', 'atr_'),
    `atr_prod_${key.slice(9)}`,
    'x'.repeat(1 << 20),
  ]
  for (const text of bad) assert.equal(readCredential(text), null, text.slice(0, 60))
})

test('a credential is found anywhere in a text, even with a wrong checksum or cut short', () => {
  for (const text of [key, token, `a${key}b`, `{"k":"${key}"}`, key.slice(0, 29), `é${token.slice(0, 32)}`])
    assert.ok(looksLikeCredential(text), text)
  for (const text of [
    '',
    'atr_live_',
    key.slice(0, 28),
    key.replace('_live_', '_Live_'),
    'atr_at_prod_01234567890123456789',
  ]) {
    assert.ok(!looksLikeCredential(text), text)
  }
})

test('a token of provisioning is found and redacted, although no request of the API is made with it', () => {
  const secret = `atr_scim_${'a1'.repeat(21)}b`
  assert.equal(readCredential(secret), null)
  for (const text of [secret, secret.slice(0, 29), encodeAll(secret)]) assert.ok(urlHoldsCredential(`/scim?a=${text}`))
  assert.equal(redactCredentials(`GET /scim/v2/Users?a=${secret}&b=1`), 'GET /scim/v2/Users?a=atr_scim_…&b=1')
  assert.ok(!looksLikeCredential(secret.slice(0, 28)))
})

test('a credential is found in every part of a URL, also when all or part of it is encoded repeatedly', () => {
  const places = (text: string) => [
    `/v1/${text}`,
    `/v1/tasks?key=${text}`,
    `/v1/tasks?${text}=1`,
    `/v1/tasks#${text}`,
    `https://${text}@host/`,
    `/v1/%zz%?a=%2&b=${text}`,
  ]
  for (const text of [key, token]) {
    const twice = encodeAll(encodeAll(text))
    const forms = [
      text,
      text.replace('a', '%61'),
      text.replace('_', '%5F'),
      text.replace('_', '%255f'),
      encodeAll(text),
      twice,
      twice.replaceAll('%', '%25'),
      encodeAll(twice).toUpperCase(),
      text.replace('r', '%2%35%37%32'),
      `%4${text}`,
      `%254${text}`,
    ]
    for (const url of forms.flatMap(places)) assert.ok(urlHoldsCredential(url), url.slice(0, 100))
  }
})

test('no credential is found in an ordinary URL', () => {
  const urls = [
    '/v1/tasks',
    '/v1/tasks?status%5B%5D=todo&filter=title%3A%22atr_%22',
    '/v1/tasks?filter=atr_live_short',
    '/%',
    '/%2',
    '/%E2%82%AC%25',
    '/atr_live',
    `/v1?x=${'%25'.repeat(2700)}`,
  ]
  for (const url of urls) assert.ok(!urlHoldsCredential(url), url.slice(0, 100))
})

test('redaction keeps the prefix and removes the rest in every encoding', () => {
  assert.equal(
    redactCredentials(`GET /v1/tasks?a=${key}&b=${token} 401`),
    'GET /v1/tasks?a=atr_live_…&b=atr_at_test_… 401',
  )
  assert.equal(redactCredentials('nothing here, 100 %, atr_live_short'), 'nothing here, 100 %, atr_live_short')
  assert.equal(redactCredentials(`?a=%20${key.replace('_', '%5f')}%20`), '?a=%20atr_live_…%20')
  assert.equal(redactCredentials(key.slice(0, 30) + encodeAll(key.slice(30))), 'atr_live_…')
  assert.equal(redactCredentials(key.slice(0, 30) + encodeAll(encodeAll(key.slice(30)))), 'atr_live_…')
  assert.equal(redactCredentials(`%4${key} ${encodeAll(token)}`), 'Jtr_live_… atr_at_test_…')
  assert.equal(redactCredentials(`?k=${key}%26b=1`), '?k=atr_live_…%26b=1')
  assert.equal(redactCredentials('?q=%41%20b'), '?q=%41%20b')
  assert.equal(redactCredentials(encodeAll(encodeAll(key))), 'atr_live_…')
  assert.equal(redactCredentials(`${key} ${encodeAll(token)}`), 'atr_live_… atr_at_test_…')
})

test('redacted text contains nothing that looks like a credential', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      key,
      token,
      encodeAll(key),
      encodeAll(encodeAll(token)),
      'atr_live_',
      '%61tr_',
      '%25',
      '%',
      '%5F',
      'a',
    ),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = redactCredentials(pieces.join(''))
      assert.ok(!urlHoldsCredential(text), text)
    }),
  )
})

test('hostile text is searched in linear time', () => {
  for (const part of ['%25', '%', '25', '%41', 'atr_', 'atr_live_aaaaaaaaaaaaaaaaaaa.', 'atr_at_', '%61tr_']) {
    assertLinear(
      (size) => `%${part.repeat(size / part.length)}`,
      1 << 20,
      (text) => {
        urlHoldsCredential(text)
        redactCredentials(text)
      },
    )
  }
})
