import assert from 'node:assert/strict'
import test from 'node:test'
import { assertLinear } from '../../test/linear.ts'
import { type JsonValue, parseJson, parseStrictJson } from './strict-json.ts'

const depth_max = 32
const read = (text: string) => parseStrictJson(text, { depth_max })

function refused(text: string, message: RegExp, path = ''): void {
  const result = read(text)
  assert.ok(!result.ok, `accepted ${text.slice(0, 80)}`)
  assert.match(result.message, message)
  assert.equal(result.path, path)
}

function accepted(text: string): void {
  assert.deepEqual(read(text), { ok: true, value: JSON.parse(text) as JsonValue })
}

test('a key with an escape keeps its name, whatever keys were parsed before', () => {
  const seen = [read('{"k":0,"\\\\":0}'), read('{"k":0,"a\\\\":0}')]
  assert.deepEqual(
    seen.map(({ ok }) => ok),
    [true, true],
  )
  const result = read('[{"k":0,"\\"":1},{"k":0,"a\\n":2},{"k":0,"\\u0061":3}]')
  assert.ok(result.ok)
  assert.deepEqual(
    (result.value as object[]).map((each) => Object.entries(each)[1]),
    [
      ['"', 1],
      ['a\n', 2],
      ['a', 3],
    ],
  )
  refused('{"k":0,"a":{"k":0,"\\u006b":1}}', /a key occurs twice/, 'a.k')
  refused('{"k":0,"\\u005f_proto__":1}', /__proto__/, '__proto__')
})

test('every kind of JSON value is parsed as by JSON.parse', () => {
  const texts = [
    '0',
    '-0',
    '-0.0',
    '1',
    '-12.5e+3',
    '1E-2',
    '0e0',
    '123456789012345678e1',
    '1.7976931348623157e308',
    '5e-324',
    '1e-400',
    '""',
    '"a"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude02"',
    '"\u{1f602}\u007f\u2028\u2029"',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    ' \t\r\n[ 1 , [ ] , { } , { "a" : { "b" : [ null ] } } ] \n',
    '{"":0,"a":1,"A":2,"a ":3}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}}}',
    '{"10":1,"9":2,"constructor":3,"toString":4,"_":5,"__proto":6,"__proto___":7,"hasOwnProperty":8}',
  ]
  for (const text of texts) accepted(text)
})

test('text that is not JSON is refused with the position of the fault', () => {
  refused('{"a":1,}', /^malformed JSON at position 7, expected a key in double quotes$/)
  refused('[1,2', /^malformed JSON at the end of the text, expected ',' or '\]'$/)
  refused('{"a" 1}', /position 5, expected ':'/)
  refused('{"a":1 "b":2}', /position 7, expected ',' or '}'/)
  refused('[1,]', /position 3, expected a value/)
  refused('{"a":}', /position 5, expected a value/)
  refused('[1}', /position 2, expected ',' or '\]'/)
  refused('"abc', /position 0, expected a string/)
  refused('["a\nb"]', /position 1, expected a string without control characters/)
  for (const text of [
    "'a'",
    'undefined',
    'NaN',
    'Infinity',
    'tru',
    'truE',
    'nul',
    '+1',
    '.5',
    '1.',
    '01',
    '-',
    '-a',
    '1e',
    '1e+',
    '0x1',
    '1_0',
    '"\\x"',
    '"\\u12g4"',
    '"\\u123"',
    '"\\"',
    '[',
    '{',
    '{"a"',
    '{"a":',
    '[1',
    '{1:2}',
    '{"a":1,2}',
    '{"a":1,[]}',
    '{"a":1,,"b":2}',
    '[1,"a":2]',
    '["a":2]',
    '{"a"}',
    '"\\u00g0"',
    '{a:1}',
    '[,1]',
    '[1 2]',
    '/**/1',
    '1//',
    '\u00a01',
    '\f1',
    '"\t"',
    '"\u001f"',
  ]) {
    refused(text, /^malformed JSON/)
    assert.throws(() => JSON.parse(text), text)
  }
})

test('an empty text, a byte order mark and anything after the value are refused', () => {
  refused('', /^the text is empty/)
  refused(' \n', /^the text is empty/)
  refused('\ufeff{}', /byte order mark/)
  refused('{}{}', /position 2, expected nothing after the value/)
  refused('1 2', /nothing after/)
  refused('{} \u0000', /nothing after/)
})

test('a key twice in one object is refused wherever the object is and however the key is escaped', () => {
  refused('{"a":1,"a":1}', /occurs twice/, 'a')
  refused('{"a":1,"\\u0061":2}', /occurs twice/, 'a')
  refused('{"\\u0061":1,"\\u0061":2}', /occurs twice/, 'a')
  refused('{"x\\/y":1,"x/y":2}', /occurs twice/, '["x/y"]')
  refused('{"data":[{},{},{},{"title":"x","b":[],"title":"y"}]}', /occurs twice/, 'data[3].title')
  refused('{"a":{"b":1,"b":{"c":1,"c":2}}}', /occurs twice/, 'a.b')
  refused('{"":1,"":2}', /occurs twice/, '[""]')
  refused('{"\u{1f602}":1,"\\ud83d\\ude02":2}', /occurs twice/, '["\u{1f602}"]')
  refused('{"1":1,"0":2,"1":3}', /occurs twice/, '1')
  const keys = Array.from({ length: 1000 }, (_, i) => `"k${i}":${i}`)
  accepted(`{${keys.join()}}`)
  refused(`{${keys.join()},"k0":1}`, /occurs twice/, 'k0')
})

test('nesting is allowed to the limit and no deeper, and the message names the limit', () => {
  accepted('['.repeat(32) + ']'.repeat(32))
  accepted(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`)
  refused('['.repeat(33) + ']'.repeat(33), /deeper than 32 levels/, '[0]'.repeat(32))
  refused(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, /deeper than 32 levels/, Array(32).fill('a').join('.'))
  accepted(`[${Array(100).fill('[]').join()}]`)
  assert.deepEqual(parseStrictJson('[]', { depth_max: 0 }).ok, false)
  assert.deepEqual(parseStrictJson('1', { depth_max: 0 }), { ok: true, value: 1 })
})

test('U+0000 is refused in keys and strings, escaped or raw', () => {
  refused('{"a":["x\\u0000"]}', /U\+0000/, 'a[0]')
  refused('{"a":"\u0000"}', /U\+0000/, 'a')
  refused('{"b":{"a\\u0000":1}}', /U\+0000/, 'b')
  refused('{"b":{"a\u0000":1}}', /U\+0000/, 'b')
  accepted('"\\\\u0000"')
})

test('lone surrogates are refused in keys and strings, escaped or raw, and pairs are not', () => {
  for (const lone of [
    '\\ud800',
    '\\udc00',
    '\ud800',
    '\udfff',
    '\\ud83dx',
    '\\ud83d\\n',
    '\\ud83d\\ud83d\\ude02',
    '\\ude02\\ud83d',
    'x\ude02',
    '\ud83d\\u0041',
  ]) {
    refused(`{"a":"${lone}"}`, /lone surrogate/, 'a')
    refused(`{"a":{"${lone}":1}}`, /lone surrogate/, 'a')
  }
  for (const pair of [
    '\\ud83d\\ude02',
    '\u{1f602}',
    '\ud83d\\ude02',
    '\\uD83D\ude02',
    '\\ud83d\\ude02\\ud83d\\ude02',
    '\ud7ff\ue000\uffff',
  ]) {
    accepted(`{"a":"${pair}"}`)
    accepted(`{"${pair}":1}`)
  }
})

test('the key __proto__ is refused, also when escaped, but allowed in a string', () => {
  refused('{"__proto__":{}}', /__proto__/, '__proto__')
  refused('{"a":[{"\\u005f_proto__":1}]}', /__proto__/, 'a[0].__proto__')
  refused('{"__pr\\u006fto__":1}', /__proto__/, '__proto__')
  accepted('{"a":"__proto__","__proto":1}')
})

test('a number is refused unless a double holds it exactly', () => {
  refused('[1e309]', /out of range/, '[0]')
  refused('{"a":-1e400}', /out of range/, 'a')
  refused(`[${'9'.repeat(400)}]`, /out of range/, '[0]')
  refused(`[${'9'.repeat(400)}.5]`, /out of range/, '[0]')
  refused('[1e0000000400]', /out of range/, '[0]')
  refused('{"a":9007199254740993}', /cannot be kept exactly/, 'a')
  refused('-9007199254740993', /cannot be kept exactly/)
  refused('[12345678901234567890]', /cannot be kept exactly/, '[0]')
  for (const text of [
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '100000000000000000000',
    '1e22',
    '9007199254740993.0',
    '1e0000000003',
  ])
    accepted(text)
  accepted(`1${'0'.repeat(200)}e-200`)
})

test('a path quotes keys that are not names, and stays short', () => {
  refused('{"a b":{"c.d":[1e999]}}', /range/, '["a b"]["c.d"][0]')
  refused('{"x-y":{"$z":1e999}}', /range/, 'x-y.$z')
  const long = read(`{"${'k'.repeat(10_000)}":{"a":1e999}}`)
  assert.ok(!long.ok && long.path.length <= 201 && long.path.endsWith('…'))
})

test('a refusal does not affect the next text', () => {
  refused('{"a":{"b":[1,2,{"c":1,"c":2}]}}', /twice/, 'a.b[2].c')
  accepted('{"a":{"b":[1,2,{"c":1}]}}')
  refused('[[1,', /end of the text/)
  accepted('[[1,2],3]')
})

test('hostile text of 1 MiB neither overflows the stack nor takes more than linear time', () => {
  const hostile: ((size: number) => string)[] = [
    (size) => '['.repeat(size),
    (size) => '{"a":'.repeat(size / 5),
    (size) => '"'.padEnd(size, '\\u0061'),
    (size) => '-'.repeat(size),
    (size) => '9'.repeat(size),
    (size) => `1e${'9'.repeat(size)}`,
    (size) => `[${'1e99,'.repeat(size / 5)}1]`,
    (size) => `[${'10000000000000000,'.repeat(size / 18)}1]`,
    (size) => ' '.repeat(size),
    (size) => `{${'"a":0,'.repeat(size / 6)}"b":0}`,
    (size) => `{${Array.from({ length: size / 16 }, (_, i) => `"\\u0061${i}":0`).join()}}`,
    (size) => `"${'\\\\'.repeat(size / 2)}"`,
  ]
  for (const makeText of hostile) assertLinear(makeText, 1 << 20, read)
})

test('an object may have `keys_max` keys, at any depth', () => {
  const fits = '{"a":1,"b":{"a":1,"b":[{"a":1,"b":2},{"a":1,"b":2}]}}'
  assert.deepEqual(parseStrictJson(fits, { depth_max, keys_max: 2 }), { ok: true, value: JSON.parse(fits) })
  for (const [text, path] of [
    ['{"a":1,"b":2,"c":3}', ''],
    ['{"a":{"a":1,"b":2,"c":3}}', 'a'],
    ['[{"a":1,"b":2},{"a":1,"b":2,"c":3}]', '[1]'],
  ] as const) {
    const refusal = { ok: false, message: 'an object has more than 2 keys', path }
    assert.deepEqual(parseStrictJson(text, { depth_max, keys_max: 2 }), refusal)
  }
})

test('a text may have `containers_max` arrays and objects', () => {
  const options = { depth_max, containers_max: 4 }
  assert.deepEqual(parseStrictJson('[[],{},{}]', options), { ok: true, value: [[], {}, {}] })
  const refusal = { ok: false, message: 'there are more than 4 arrays and objects', path: '[1].b' }
  assert.deepEqual(parseStrictJson('[[],{"a":[],"b":[]}]', options), refusal)
})

test('JSON of another host keeps the names of its keys, whatever keys other texts had', () => {
  for (const text of ['{"k":0,"\\\\":0}', '{"k":0,"a\\\\":0}']) assert.deepEqual(parseJson(text), JSON.parse(text))
  const text = '[{"k":0,"\\"":"x\\":"},{"k":0,"a\\n":2},{"k":0,"\\u0061" : 3},{"k":0,"\\u005f_proto__":4}]'
  const value = parseJson(text) as object[]
  assert.deepEqual(
    value.map((each) => Object.entries(each)[1]),
    [
      ['"', 'x":'],
      ['a\n', 2],
      ['a', 3],
      ['__proto__', 4],
    ],
  )
  assert.equal(Object.getPrototypeOf(value[3]), Object.prototype)
  assert.throws(() => parseJson('{"\\u0061":}'), SyntaxError)
})
