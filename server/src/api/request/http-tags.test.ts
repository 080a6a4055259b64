import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../test/linear.ts'
import { matchedTag, parseIdempotencyKey, parseIfMatch, parseIfNoneMatch } from './http-tags.ts'

test('If-None-Match reads as its tags without quotes and W/, or as a star', () => {
  assert.equal(parseIfNoneMatch('*'), '*')
  assert.equal(parseIfNoneMatch(' * '), '*')
  assert.deepEqual(parseIfNoneMatch('"7-abc"'), ['7-abc'])
  assert.deepEqual(parseIfNoneMatch('W/"a", "b,c" ,\t"d"'), ['a', 'b,c', 'd'])
  assert.deepEqual(parseIfNoneMatch('"*"'), ['*'])
  assert.deepEqual(parseIfNoneMatch('"W/x"'), ['W/x'])
})

test('If-None-Match accepts unquoted tags and empty members, and ignores the rest after an unreadable one', () => {
  assert.deepEqual(parseIfNoneMatch('7-abc, W/8'), ['7-abc', '8'])
  assert.deepEqual(parseIfNoneMatch(',, "a",, '), ['a'])
  assert.deepEqual(parseIfNoneMatch(''), [])
  assert.deepEqual(parseIfNoneMatch('"a", "b'), ['a'])
  assert.deepEqual(parseIfNoneMatch('"a" b, "c"'), [])
})

test('If-None-Match matches if any of its tags is equal by weak comparison', () => {
  for (const header of ['"7-abc"', 'W/"7-abc"', '7-abc', '*', '"x", W/"7-abc"', '"7-abc","x"']) {
    assert.equal(matchedTag(header, '"7-abc"'), '"7-abc"', header)
    assert.equal(matchedTag(header, 'W/"7-abc"'), 'W/"7-abc"', header)
  }
  for (const header of ['', '"7"', '"7-ABC"', '"x"', '"*"', '"7-abc', '"7-abc" x'])
    assert.equal(matchedTag(header, '"7-abc"'), null, header)
  for (const header of ['"7-abc;br"', '"7-abc;gzip", "7-abc;br"'])
    assert.equal(matchedTag(header, '"7-abc"'), '"7-abc;br"')
})

test('If-Match reads the revision from every form of a tag', () => {
  for (const header of ['"7-abc"', '"7"', '7', 'W/"7-abc"', 'W/"7"', ' "7" ', '"7-abc", "7"', ',7,', '"7-a-b,c"']) {
    assert.deepEqual(parseIfMatch(header), { revisions: [7] }, header)
  }
  assert.deepEqual(parseIfMatch('*'), { any: true })
  assert.deepEqual(parseIfMatch('"7-abc", 8 , W/"9"'), { revisions: [7, 8, 9] })
  assert.deepEqual(parseIfMatch('"0"'), { revisions: [0] })
  assert.deepEqual(parseIfMatch('9007199254740991'), { revisions: [9007199254740991] })
})

test('If-Match is refused without a revision and with any member that has none', () => {
  for (const header of [
    '',
    ' ',
    ',',
    'abc',
    '"abc"',
    '"-7"',
    '-7',
    '+7',
    '7.0',
    '1e3',
    '07',
    '"007"',
    '"7-"',
    '"7 "',
    '"7-a b"',
    '7-abc',
    'W/7',
    'w/"7"',
    '"7',
    '7"',
    '"7" "8"',
    '7 8',
    '"7", x',
    '*, "7"',
    '"*"',
    '**',
    '"9007199254740992"',
    '99999999999999999999',
    '"7-\u20ac"',
    '７',
  ]) {
    assert.equal(parseIfMatch(header), null, header)
  }
})

test('tags and keys are parsed in linear time', () => {
  for (const part of [' ', ',', '"', '"a"', '"a",', 'a', 'a ', 'W/', '7,', '\t,', ' a"']) {
    // The texts are made outside of the measured work: large strings cost the allocator more than their share.
    for (const before of ['', 'a', '"a']) {
      assertLinear(
        (size) => Buffer.from(`${before}${part.repeat(size / part.length)}b`).toString('latin1'),
        1 << 18,
        (text) => {
          parseIfNoneMatch(text)
          parseIfMatch(text)
          matchedTag(text, '"7-abc"')
          parseIdempotencyKey([text])
        },
      )
    }
  }
})

test('an idempotency key is 1 to 255 visible ASCII characters', () => {
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 255,
  })
  fc.assert(
    fc.property(visible, (key) => {
      if (!key.startsWith('"')) assert.deepEqual(parseIdempotencyKey([key]), { ok: true, key })
      assert.deepEqual(parseIdempotencyKey([`"${key.replace(/["\\]/g, '\\$&')}"`]), { ok: true, key })
    }),
  )
  assert.ok(parseIdempotencyKey(['k'.repeat(255)]).ok)
  assert.ok(parseIdempotencyKey([`"${'\\"'.repeat(255)}"`]).ok)
  for (const bad of [
    '',
    ' ',
    'a b',
    ' a',
    'é',
    '\u007f',
    'a\t',
    'k'.repeat(256),
    '"',
    '""',
    '"a',
    '"a b"',
    '"a"b',
    '"a";x=1',
    '"a\\b"',
    '"é"',
    `"${'k'.repeat(256)}"`,
  ]) {
    assert.equal(parseIdempotencyKey([bad]).ok, false, bad)
  }
})

test('an idempotency key is the same with and without quotes', () => {
  assert.deepEqual(parseIdempotencyKey(['"abc"']), parseIdempotencyKey(['abc']))
})

test('a missing idempotency key is refused, and one sent twice even if both are equal', () => {
  assert.equal(parseIdempotencyKey(['a', 'a']).ok, false)
  assert.equal(parseIdempotencyKey([]).ok, false)
})
