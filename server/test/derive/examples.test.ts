/** The examples of the documents are calls that were made: made again, they are answered in the same form. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { RecordedExamples } from '../../src/derive/examples.ts'
import { examples_file, recordExamples } from './record.ts'

const recorded = JSON.parse(readFileSync(examples_file, 'utf8')) as RecordedExamples
const how = 'run npm run generate'
let now: RecordedExamples

before(async () => {
  now = JSON.parse(JSON.stringify(await recordExamples()))
})

/** The names and types of a value: what differs from one object to the next does not count. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

it('every operation has a recorded example', () => {
  assert.deepEqual(
    Object.keys(recorded.operations),
    catalogue.map(({ id }) => id),
    how,
  )
})

for (const { id } of catalogue) {
  it(`${id} answers its example as it did when it was recorded`, () => {
    const [then, today] = [recorded.operations[id], now.operations[id]]
    assert.ok(then !== undefined && today !== undefined, how)
    assert.deepEqual(shapeOf(today), shapeOf(then), how)
    assert.equal(today.response.status, then.response.status)
  })
}

it('every event that the examples emit has a recorded example', () => {
  assert.deepEqual(shapeOf(now.events), shapeOf(recorded.events), how)
})

it('no example holds a secret that could be one', () => {
  const text = readFileSync(examples_file, 'utf8')
  assert.doesNotMatch(text, /atr_(?:at_)?(?:live|test)_(?!x+")[0-9A-Za-z]/)
  assert.doesNotMatch(text, /whsec_(?!x+=")/)
})
