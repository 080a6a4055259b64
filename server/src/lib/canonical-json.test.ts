import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'

test('the example of RFC 8785 §3.2.2 gives its canonical text', () => {
  const text = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
    "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`
  const numbers = '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]'
  const canonical = String.raw`{"literals":[null,true,false],${numbers},"string":"€$\u000f\nA'B\"\\\\\"/"}`
  assert.equal(canonicalJson(JSON.parse(text)), canonical)
})

test('keys are sorted by UTF-16 units as in RFC 8785 §3.2.3', () => {
  const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
  const order = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']
  const value = Object.fromEntries(keys.map((key) => [key, 0]))
  assert.equal(canonicalJson(value), `{${order.map((key) => `${JSON.stringify(key)}:0`).join()}}`)
  const { 1: _, ...named } = value
  assert.equal(canonicalJson(named), canonicalJson(value).replace('"1":0,', ''))
})

test('keys that look like numbers are sorted as text', () => {
  assert.equal(
    canonicalJson({ 10: 1, 9: 2, a: { 2: 0, 11: 0, '01': 0, '': 0 } }),
    '{"10":1,"9":2,"a":{"":0,"01":0,"11":0,"2":0}}',
  )
  assert.equal(canonicalJson([{ 111: [{}], '': 'x', A: {}, a: 1 }]), '[{"":"x","111":[{}],"A":{},"a":1}]')
  const big = { 4294967294: 1, 4294967295: 2, 42949672960: 3, 5: 4 }
  assert.equal(canonicalJson(big), '{"4294967294":1,"4294967295":2,"42949672960":3,"5":4}')
})

test('a key __proto__ is written like any other and sets no prototype', () => {
  assert.equal(canonicalJson(JSON.parse('{"a":1,"__proto__":{"b":2}}')), '{"__proto__":{"b":2},"a":1}')
})

test('numbers are written as in appendix B of RFC 8785', () => {
  const vectors = {
    '0000000000000000': '0',
    '8000000000000000': '0',
    '0000000000000001': '5e-324',
    '8000000000000001': '-5e-324',
    '7fefffffffffffff': '1.7976931348623157e+308',
    ffefffffffffffff: '-1.7976931348623157e+308',
    '4340000000000000': '9007199254740992',
    c340000000000000: '-9007199254740992',
    '4430000000000000': '295147905179352830000',
    '44b52d02c7e14af5': '9.999999999999997e+22',
    '44b52d02c7e14af6': '1e+23',
    '44b52d02c7e14af7': '1.0000000000000001e+23',
    '444b1ae4d6e2ef4e': '999999999999999700000',
    '444b1ae4d6e2ef4f': '999999999999999900000',
    '444b1ae4d6e2ef50': '1e+21',
    '3eb0c6f7a0b5ed8c': '9.999999999999997e-7',
    '3eb0c6f7a0b5ed8d': '0.000001',
    '41b3de4355555553': '333333333.3333332',
    '41b3de4355555554': '333333333.33333325',
    '41b3de4355555555': '333333333.3333333',
    '41b3de4355555556': '333333333.3333334',
    '41b3de4355555557': '333333333.33333343',
    becbf647612f3696: '-0.0000033333333333333333',
    '43143ff3c1cb0959': '1424953923781206.2',
  }
  for (const [bits, text] of Object.entries(vectors)) {
    const number = Buffer.from(bits, 'hex').readDoubleBE()
    assert.equal(canonicalJson([number]), `[${text}]`)
    assert.equal(canonicalJson({ 1: number }), `{"1":${text}}`)
  }
})

test('members that are undefined are left out', () => {
  assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}')
  assert.equal(canonicalJson({ 1: undefined, 2: { 3: undefined } }), '{"2":{}}')
})

test('a value that JSON does not have has no canonical text', () => {
  const bad = [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    () => 1,
    Symbol('x'),
    new Date(0),
    new Map(),
    [undefined],
    { a: [() => 1] },
  ]
  for (const value of bad) assert.throws(() => canonicalJson(value), TypeError)
  for (const lone of ['\ud800', 'a\udc00', '\\\ud800']) {
    assert.throws(() => canonicalJson([lone]), TypeError)
    assert.throws(() => canonicalJson({ [lone]: 1 }), TypeError)
    assert.throws(() => canonicalJson({ 1: lone }), TypeError)
  }
  for (const fine of ['\u{1f602}', '\\ud800', '\\\\ud800', '"\\ud'])
    assert.equal(canonicalJson(fine), JSON.stringify(fine))
})

test('a value nested too deep is refused before the stack overflows', () => {
  const nest = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown
  assert.equal(canonicalJson(nest(500)).length, 1000)
  assert.throws(() => canonicalJson(nest(501)), RangeError)
  assert.throws(() => canonicalJson(nest(1_000_000)), RangeError)
})

test('the text is the same for every order of the keys, and reads back as the same value', () => {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('1', '10', '2', 'a', 'b', '__proto__', ''),
    fc.nat().map(String),
  )
  const wide = fc.dictionary(key, fc.nat(), { minKeys: 21, maxKeys: 40 })
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ stringUnit: 'grapheme' }),
      fc.array(tie('value')),
      fc.dictionary(key, tie('value'), { noNullPrototype: false }),
      wide,
    ),
  }))
  const turned = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(turned)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(
      Object.entries(item)
        .reverse()
        .map(([name, member]) => [name, turned(member)]),
    )
  }
  fc.assert(
    fc.property(value, (item) => {
      const text = canonicalJson(item)
      assert.equal(canonicalJson(turned(item)), text)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(item)))
      assert.equal(canonicalJson(JSON.parse(text)), text)
    }),
  )
})
