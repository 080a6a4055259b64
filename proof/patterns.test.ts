import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judged, keyOf, reasons, unexcused } from './patterns.ts'
import { patternsInUse } from './patterns-in-use.ts'

const inUse = patternsInUse()

test('patterns.json has a verdict for exactly the regular expressions in use', () => {
  assert.deepEqual(judged().map(keyOf), inUse.map(keyOf))
})

test('slow patterns occur only where no stranger supplies the text', () => {
  assert.deepEqual(unexcused(judged(), inUse), [])
})

test('every reason is still needed', () => {
  const files = judged()
    .filter(({ growth }) => growth !== 'safe')
    .flatMap((pattern) => inUse.find((each) => keyOf(each) === keyOf(pattern))?.at ?? [])
  assert.deepEqual(
    Object.keys(reasons).filter((place) => !files.some((file) => file.startsWith(place))),
    [],
  )
})

test('a slow pattern in the path of a request is noticed', () => {
  const slow = { source: '(a+)+$', flags: '', growth: 'exponential' } as const
  assert.deepEqual(
    unexcused([slow], [{ ...slow, at: ['server/src/api/request/cursor.ts', 'server/src/cli/index.ts'] }]),
    ['server/src/api/request/cursor.ts: /(a+)+$/ is exponential'],
  )
})
