import assert from 'node:assert/strict'
import test from 'node:test'
import { readFilter } from './check.ts'
import { filter_examples, filter_grammar, short_filter_grammar } from './grammar.ts'

test('every example of the documented filter language is a valid filter', () => {
  for (const example of filter_examples) assert.equal(readFilter(example, 0).ok, true, example)
})

test('the documented fields are the fields that a filter accepts', () => {
  const refusal = readFilter('unknown = 1', 0)
  assert.ok(!refusal.ok)
  const accepted = /Use (.*)\.$/.exec(refusal.message)?.[1]?.split(/, | or /)
  for (const text of [filter_grammar, short_filter_grammar]) {
    const documented = /Fields: (.*)\./.exec(text)?.[1]?.replaceAll('`', '').split(', ')
    assert.deepEqual(documented, accepted)
  }
})
