/** The catalogue of texts: complete in German, and no text for people beside it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { parsePlaces, textsOf, untranslated } from '../text-source.ts'
import { readCatalogue, readGerman, translationFaults } from '../texts.ts'

test('every text of the console has a German one with the same values, and none is left over', () => {
  const { texts } = readCatalogue()
  assert.ok(texts.length > 2000)
  assert.deepEqual(translationFaults(texts, readGerman()), [])
})

test('no text for people bypasses the catalogue, and each has its values', () => {
  assert.deepEqual(readCatalogue().faults, [])
})

test('a text that is missing, left over, or has other values is a fault', () => {
  const faults = translationFaults(['Save', 'Move {key}'], { 'Move {key}': '{name} verschieben', Gone: 'Weg' })
  assert.deepEqual(faults, [
    'has no text for “Save”',
    'has “Gone”, which the code does not use',
    'has other values in “{name} verschieben” than “Move {key}”',
  ])
})

test('values are found within the forms of a plural', () => {
  const text = '{count, plural, one {the label {labels}} other {# labels {labels}}} of {name}'
  assert.deepEqual([...parsePlaces(text)], ['count', 'labels', 'name'])
})

test('a call whose text is not a literal, or whose values lack one, is a fault', () => {
  const code = "t(name); t('Move {key}'); t('Move {key}', { key }); t('Save')"
  const faults = textsOf('a.ts', code).flatMap(({ fault }) => fault ?? [])
  assert.deepEqual(faults, [
    'the text is not a literal, so no catalogue can list it',
    '“Move {key}” has no value for key',
  ])
})

for (const [where, code] of [
  ['an element', '<p>Saved</p>'],
  ['an attribute', '<Button title="Save" />'],
  ['an attribute that is heard', `<a aria-label={\`Open \${name}\`} />`],
  ['a branch of a condition', "<p>{isOpen ? 'Open' : t('Closed')}</p>"],
  ['a toast', "toast({ text: 'Saved' })"],
  ['a label', "const choices = [{ value: 'a', label: 'All tasks' }]"],
] as const) {
  test(`a text in ${where} that bypasses the catalogue is found`, () => {
    assert.equal(untranslated('a.tsx', code).length, 1, code)
  })
}

test('code, keys, data and names of the program are no texts', () => {
  const code = "<p className='wide'><code>atrium migrate</code>{name}{t('Save')} · <Kbd keys=\"mod+k\" /> Atrium </p>"
  assert.deepEqual(untranslated('a.tsx', code), [])
})
