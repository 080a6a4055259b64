/** Markdown through the editor: what is not edited keeps its bytes. Tried on real texts: those of the installed packages. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { getSchema } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { EditedText } from '../src/text/editor/document.ts'
import { schema_extensions } from '../src/text/editor/schema.ts'

const schema = getSchema([...schema_extensions])
const root = join(import.meta.dirname, '../..')
const files = globSync('node_modules/{*,@*/*}/{README,CHANGELOG}.md', { cwd: root }).sort()
const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8').slice(0, 4096)] as const)
const all = texts.map(([file, text]) => ({ file, text, edited: new EditedText(schema, text) }))

/** The document with `more` at the end of its block `at`. */
function typed(doc: Node, at: number, more: string): Node {
  const block = doc.child(at)
  const content = block.content.append(schema.node('paragraph', null, [schema.text(more)]).content)
  return doc.copy(doc.content.replaceChild(at, block.copy(content)))
}

it('opening and saving changes no byte of 500 real texts and more', () => {
  assert.ok(texts.length >= 500, `${texts.length} texts`)
  for (const { file, text, edited } of all) {
    assert.equal(edited.textOf(edited.start), text, file)
    // The same blocks as other objects, as undo leaves them.
    assert.equal(edited.textOf(schema.nodeFromJSON(edited.start.toJSON())), text, file)
  }
})

it('an edit of one paragraph leaves all other bytes of a real text alone', () => {
  let edits = 0
  for (const { file, text, edited } of all) {
    const places = Array.from({ length: edited.start.childCount }, (_, i) => i)
    const paragraphs = places.filter((i) => edited.start.child(i).type.name === 'paragraph')
    for (const at of [paragraphs[0], paragraphs.at(-1)]) {
      if (at === undefined) continue
      const next = edited.textOf(typed(edited.start, at, ' changed'))
      const source = edited.sourceOf(at)
      const start = text.indexOf(source, edited.offsetOf(at))
      const [head, tail] = [text.slice(0, start), text.slice(start + source.length)]
      assert.ok(next.startsWith(head) && next.endsWith(tail), `${file}: block ${at}`)
      assert.ok(next.slice(head.length, next.length - tail.length).endsWith(' changed'), `${file}: block ${at}`)
      edits++
    }
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
