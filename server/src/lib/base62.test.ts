import assert from 'node:assert/strict'
import test from 'node:test'
import { fromBase62, randomBase62, toBase62 } from './base62.ts'

test('a number is written in base 62, padded to its width', () => {
  assert.equal(toBase62(0, 6), '000000')
  assert.equal(toBase62(61, 1), 'z')
  assert.equal(toBase62(62, 6), '000010')
  assert.equal(toBase62(0xffffffff, 6), '4gfFC3')
  assert.equal(toBase62(10, 2), '0A')
})

test('a number that does not fit is refused', () => {
  for (const [number, width] of [
    [62, 1],
    [-1, 6],
    [1.5, 6],
    [Number.NaN, 6],
    [2 ** 53, 20],
  ] as const) {
    assert.throws(() => toBase62(number, width), RangeError)
  }
})

test('a number in base 62 reads back, and other text is not a number', () => {
  for (const number of [0, 1, 61, 62, 0xffffffff, 2 ** 53 - 1]) assert.equal(fromBase62(toBase62(number, 9)), number)
  for (const text of ['', '-1', '1 ', 'é', '/', ':', '@', '[', '`', '{']) assert.equal(fromBase62(text), Number.NaN)
})

test('random text has the requested length, also across the end of the pool', () => {
  for (const length of [0, 1, 30, 10_000]) assert.match(randomBase62(length), new RegExp(`^[0-9A-Za-z]{${length}}$`))
})

test('each of the 62 characters is equally likely', () => {
  const total = 620_000
  const counts = new Map<string, number>()
  for (const char of randomBase62(total)) counts.set(char, (counts.get(char) ?? 0) + 1)
  assert.equal(counts.size, 62)
  // Chi-squared with 61 degrees of freedom exceeds 150 once in some 10^9 runs; bytes taken modulo 62 would give 3,000.
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)
  assert.ok(chi < 150, String(chi))
})
