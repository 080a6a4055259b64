import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { BoundedMap } from './bounded-map.ts'

test('a value is there until it is deleted, replaced or cleared', () => {
  const map = new BoundedMap<string, number | undefined>(10)
  map.set('a', 1)
  map.set('b', undefined)
  assert.equal(map.get('a'), 1)
  map.set('a', 2)
  assert.equal(map.get('a'), 2)
  assert.equal(map.size, 2)
  assert.equal(map.delete('a'), true)
  assert.equal(map.delete('a'), false)
  assert.equal(map.get('a'), undefined)
  map.clear()
  assert.equal(map.size, 0)
  assert.equal(map.delete('b'), false)
})

test('an entry in constant use outlives any number of other entries', () => {
  const map = new BoundedMap<number, string>(100)
  map.set(-1, 'kept')
  for (let i = 0; i < 10_000; i++) {
    map.set(i, 'other')
    if (i % 40 === 0) assert.equal(map.get(-1), 'kept')
  }
  assert.equal(map.get(-1), 'kept')
  assert.equal(map.get(0), undefined)
})

test('it holds at most its size, always the half used last, and never a stale value', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('get', 'set', 'set', 'delete'), fc.nat({ max: 12 })), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), steps, (size_max, all) => {
      const map = new BoundedMap<number, number>(size_max)
      const truth = new Map<number, number>()
      // A deleted entry keeps its turn: another one that was dropped before does not come back.
      let recent: number[] = []
      for (const [i, [step, key]] of all.entries()) {
        if (step === 'set') {
          map.set(key, i)
          truth.set(key, i)
        } else if (step === 'delete') {
          map.delete(key)
          truth.delete(key)
        } else {
          const value = map.get(key)
          if (value === undefined) truth.delete(key)
          else assert.equal(value, truth.get(key))
        }
        if (truth.has(key)) recent = [key, ...recent.filter((other) => other !== key)]
        assert.ok(map.size <= size_max)
      }
      for (const key of recent.slice(0, Math.floor(size_max / 2)).reverse()) assert.equal(map.get(key), truth.get(key))
    }),
  )
})

test('a map too small for two entries is refused', () => {
  for (const size_max of [1, 0, -1, Number.NaN]) assert.throws(() => new BoundedMap(size_max), RangeError)
})
