import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { idPattern, idTime, isPublicId, newId, smallestId } from './ids.ts'

const start = 1_785_000_000_000

test('the time part is written as the ULID specification writes it', () => {
  assert.ok(newId('a', 1_469_918_176_385).startsWith('a_01ARYZ6S41'))
  assert.equal(idTime('evt_01ARYZ6S410000000000000000'), 1_469_918_176_385)
  assert.equal(idTime('evt_7ZZZZZZZZZ0000000000000000'), 2 ** 48 - 1)
})

test('an id is its prefix, an underscore and a ULID that contains its time', () => {
  const id = newId('tsk', start)
  assert.match(id, new RegExp(idPattern('tsk')))
  assert.match(id, /^[a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.equal(idTime(id), start)
})

test('ids rise strictly in the order of the calls while the clock repeats, jumps ahead or goes back', () => {
  let last = newId('x', start + 10)
  const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 1e5 })), {
    minLength: 1,
    maxLength: 200,
  })
  fc.assert(
    fc.property(steps, (jumps) => {
      let now = start
      for (const jump of jumps) {
        now += jump
        const id = newId('x', now)
        assert.ok(id > last, `${id} after ${last}`)
        last = id
      }
    }),
  )
})

test('ids of one millisecond stay unique and in order over every carry of the random part', () => {
  const now = idTime(newId('x', 0)) + 1
  let last = newId('x', now)
  for (let i = 0; i < 3_000_000; i++) {
    const id = newId('x', now)
    if (id <= last) assert.fail(`${id} after ${last}`)
    last = id
  }
  assert.equal(idTime(last), now)
})

test('a fraction of a millisecond never puts an id before an earlier one', () => {
  const now = idTime(newId('x', 0)) + 1
  const ids = [newId('x', now + 0.2), newId('x', now + 0.9), newId('x', now + 0.1)]
  assert.deepEqual(ids, ids.toSorted())
})

test('the random part is new in each millisecond, and all its bits vary', () => {
  const base = idTime(newId('x', 0)) + 1
  let ones = 0n
  let zeros = 0n
  for (let i = 0; i < 500; i++) {
    let bits = 0n
    for (const char of newId('x', base + i).slice(-16))
      bits = bits * 32n + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(char))
    ones |= bits
    zeros |= ~bits & (2n ** 80n - 1n)
  }
  assert.equal(ones, 2n ** 80n - 1n)
  assert.equal(zeros, 2n ** 80n - 1n)
})

test('an invalid time makes no id', () => {
  for (const bad of [Number.NaN, -1, 2 ** 48, Number.POSITIVE_INFINITY]) {
    assert.throws(() => newId('x', bad), RangeError, String(bad))
  }
})

test('reading the time of a text that is not an id throws', () => {
  const bad = [
    '',
    'tsk',
    '01KYAT4DG0ABCDEFGHJKMNPQRS',
    'tsk_01KYAT4DG0ABCDEFGHJKMNPQR',
    'tsk-01KYAT4DG0ABCDEFGHJKMNPQRS',
    'tsk_01kyat4dg0abcdefghjkmnpqrs',
    'tsk_81KYAT4DG0ABCDEFGHJKMNPQRS',
    'tsk_01KYAT4DG0ABCDEFGHJKMNPQR\u{130}',
    'tsk_01KYAT4DG0ABCDEFGHJKMNPQRU',
  ]
  for (const id of bad) assert.throws(() => idTime(id), RangeError, id)
})

test('a public id is exactly what the contract’s pattern and bounds allow', () => {
  const pattern = /^[A-Za-z0-9][A-Za-z0-9:_-]*$/
  const near = fc.string({ unit: fc.constantFrom(...'aZ09:_-. \n\u00e9/@[`{'), maxLength: 5 })
  fc.assert(fc.property(near, (text) => isPublicId(text) === pattern.test(text)))
  assert.equal(isPublicId('a'.repeat(160)), true)
  assert.equal(isPublicId('a'.repeat(161)), false)
  assert.equal(isPublicId(''), false)
  assert.equal(isPublicId('KEP-42'), true)
  assert.equal(isPublicId('abc\n'), false)
  for (let code = 0; code < 300; code++) {
    const char = String.fromCharCode(code)
    assert.equal(isPublicId(char), /[A-Za-z0-9]/.test(char), `first ${code}`)
    assert.equal(isPublicId(`a${char}`), /[A-Za-z0-9:_-]/.test(char), `later ${code}`)
  }
})

test('the smallest id of a time is not larger than any id of it, and larger than any earlier one', () => {
  assert.equal(smallestId('evt', 1_469_918_176_385), 'evt_01ARYZ6S410000000000000000')
  assert.equal(smallestId('evt', 2 ** 48 - 1), 'evt_7ZZZZZZZZZ0000000000000000')
  for (const time of [-1, 2 ** 48, Number.NaN]) assert.throws(() => smallestId('evt', time), RangeError)
})
