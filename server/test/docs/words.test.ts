import assert from 'node:assert/strict'
import test from 'node:test'
import { findPhrases, phrases } from '../../../build/words.ts'

test('a refused phrase is reported with its file, its line and what to write instead', () => {
  const text = 'The worker claims due deliveries.\n// Nobody waits in a circle any more.\n'
  assert.deepEqual(
    findPhrases('notes.md', text).map(({ file, line, phrase }) => [file, line, phrase]),
    [
      ['notes.md', 2, 'Nobody'],
      ['notes.md', 2, 'any more'],
      ['notes.md', 2, 'in a circle'],
    ],
  )
  assert.ok(findPhrases('notes.md', text).every(({ instead }) => instead.length > 0))
})

test('words that only contain a refused phrase are accepted', () => {
  assert.deepEqual(findPhrases('notes.md', 'recommend amendment untold'), [])
})

test('the user `nobody` is a name, not a phrase', () => {
  const found = findPhrases('notes.md', "It runs as `nobody` or 'nobody'; nobody else.")
  assert.deepEqual(
    found.map(({ phrase }) => phrase),
    ['nobody'],
  )
})

test('every phrase is listed once', () => {
  const listed = phrases.map(([phrase]) => phrase)
  assert.equal(new Set(listed).size, listed.length)
})
