import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judged, keyOf, reasons, unexcused } from './patterns.ts'
import { patternsInUse } from './patterns-in-use.ts'

const inUse = patternsInUse()

test('every regular expression of the product has been judged, and none is listed that is gone', () => {
  assert.deepEqual(judged().map(keyOf), inUse.map(keyOf))
})

test('a pattern that a hostile text can make slow stands only where no hostile text comes', () => {
  assert.deepEqual(unexcused(judged(), inUse), [])
})

test('none of the reasons is left over', () => {
  const files = judged()
    .filter(({ growth }) => growth !== 'safe')
    .flatMap((pattern) => inUse.find((each) => keyOf(each) === keyOf(pattern))?.at ?? [])
  assert.deepEqual(
    Object.keys(reasons).filter((place) => !files.some((file) => file.startsWith(place))),
    [],
  )
})

test('a slow pattern on the way of a request is noticed', () => {
  const slow = { source: '(a+)+$', flags: '', growth: 'exponential' } as const
  assert.deepEqual(unexcused([slow], [{ ...slow, at: ['server/src/api/cursor.ts', 'server/src/cli/index.ts'] }]), [
    'server/src/api/cursor.ts: /(a+)+$/ is exponential',
  ])
})
