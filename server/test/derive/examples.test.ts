/** The examples in the documents are recorded calls. Made again, the calls get responses of the same shape. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { RecordedExamples } from '../../src/derive/examples.ts'
import { examples_file, recordExamples } from './record.ts'

const recorded = JSON.parse(readFileSync(examples_file, 'utf8')) as RecordedExamples
const hint = 'Run npm run generate.'
let current: RecordedExamples

before(async () => {
  current = JSON.parse(JSON.stringify(await recordExamples()))
})

/** The field names and types of a value, without its contents. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

it('every operation has a recorded example', () => {
  assert.deepEqual(
    Object.keys(recorded.operations),
    catalogue.map(({ id }) => id),
    hint,
  )
})

for (const { id } of catalogue) {
  it(`${id} responds to its example as recorded`, () => {
    const [expected, actual] = [recorded.operations[id], current.operations[id]]
    assert.ok(expected !== undefined && actual !== undefined, hint)
    assert.deepEqual(shapeOf(actual), shapeOf(expected), hint)
    assert.equal(actual.response.status, expected.response.status)
  })
}

it('every event that the examples emit has a recorded example', () => {
  assert.deepEqual(shapeOf(current.events), shapeOf(recorded.events), hint)
})

it('no example contains a usable secret', () => {
  const text = readFileSync(examples_file, 'utf8')
  assert.doesNotMatch(text, /atr_(?:at_)?(?:live|test)_(?!x+")[0-9A-Za-z]/)
  assert.doesNotMatch(text, /whsec_(?!x+=")/)
  assert.doesNotMatch(text, /\/(v1\/hooks|forms)\/(?!x+")[0-9A-Za-z]{43}/)
  assert.doesNotMatch(text, /"secret":\s*"(?!x+")[0-9a-z]{40}"/)
})
