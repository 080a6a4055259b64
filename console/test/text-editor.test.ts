/** Markdown through the editor: what is not edited keeps its bytes. Tried on real texts: those of the installed packages and of this repository. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { EditedText } from '../src/text/editor/document.ts'
import { isKept, readTexts, schema, tryEdits, typed } from './edited-texts.ts'

const root = join(import.meta.dirname, '../..')
const below = (...patterns: string[]) =>
  globSync(patterns, { cwd: root })
    .sort()
    .map((file) => join(root, file))
/** The beginnings of the texts of installed packages, and the documents of this repository in full. */
const texts = [
  ...readTexts(below('node_modules/{*,@*/*}/{README,CHANGELOG}.md'), 4096),
  ...readTexts(below('*.md', '{docs,console,sdk/*,bench}/**/*.md')),
]
const all = texts.map(({ name, text }) => ({ name, text, edited: new EditedText(schema, text) }))

it('opening and saving changes no byte of 500 real texts and more', () => {
  assert.ok(texts.length >= 500, `${texts.length} texts`)
  for (const { name, text, edited } of all) assert.ok(isKept(edited, text), name)
})

it('an edit of one paragraph leaves all other bytes of a real text alone', () => {
  let edits = 0
  for (const { name, text, edited } of all) {
    const { count, spread } = tryEdits(edited, text)
    assert.deepEqual(spread, [], name)
    edits += count
  }
  assert.ok(edits > 900, `${edits} edits`)
})

it('most blocks of real texts are edited as formatted text; the others as their Markdown', () => {
  const counts = { all: 0, source: 0 }
  for (const { edited } of all) {
    edited.start.forEach(({ type }) => {
      counts.all++
      if (type.name === 'source') counts.source++
    })
  }
  assert.ok(counts.source < counts.all * 0.05, `${counts.source} of ${counts.all}`)
})

it('new and changed blocks are written as Markdown that says the same', () => {
  const edited = new EditedText(schema, '# Title\nText  \n\n1. one\n2. two\n')
  const cases: readonly [at: number, more: string, text: string][] = [
    [0, ' <b>', '# Title \\<b>\nText  \n\n1. one\n2. two\n'],
    [1, ' *a* [x] `c` & &amp;', '# Title\nText \\*a\\* \\[x\\] \\`c\\` & \\&amp;  \n\n1. one\n2. two\n'],
  ]
  for (const [at, more, text] of cases) assert.equal(edited.textOf(typed(edited.start, at, more)), text)
  const moved = edited.start.copy(
    edited.start.content.replaceChild(0, schema.node('paragraph', null, [schema.text('Title')])),
  )
  assert.equal(edited.textOf(moved), 'Title\n\nText  \n\n1. one\n2. two\n')
})
