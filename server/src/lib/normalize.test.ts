import assert from 'node:assert/strict'
import { it } from 'node:test'
import { normalized } from './normalize.ts'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

it('a text is normalized as by the language', () => {
  const marks = '\u0301\u0316'.repeat(15)
  for (const text of [
    '',
    'Ångström',
    'A\u030a\u0323ngstro\u0308m',
    `e${marks}, e${marks}`,
    '\u1112\u1161\u11ab',
    '\uff76\uff9e',
  ])
    for (const form of forms) assert.equal(normalized(text, form), text.normalize(form), `${form} ${text}`)
})

it('more than 30 marks in a row stay as they are, and what is around them is normalized', () => {
  for (const marks of ['\u0301\u0316'.repeat(16), '\u0301\uff9e'.repeat(16)]) {
    assert.equal(normalized(`e\u0301 e${marks}e\u0301${marks}`, 'NFC'), `é e${marks}e${`\u0301${marks}`}`)
    assert.equal(normalized(`é e${marks}é${marks}`, 'NFD'), `e\u0301 e${marks}e\u0301${marks}`)
  }
})
