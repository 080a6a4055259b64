/** What the editor makes of real Markdown texts: opening and saving changes no byte, and an edit leaves all others alone. */
import { readFileSync } from 'node:fs'
import { getSchema } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import type { EditedText } from '../src/text/editor/document.ts'
import { schema_extensions } from '../src/text/editor/schema.ts'
import { text_limits } from '../src/text/limits.ts'

export const schema = getSchema([...schema_extensions])

export interface NamedText {
  readonly name: string
  readonly text: string
}

/** Reads files of Markdown, the part that a description can hold. */
export function readTexts(files: readonly string[], chars_max: number = text_limits.chars_max): NamedText[] {
  return files.map((name) => ({ name, text: readFileSync(name, 'utf8').slice(0, chars_max).toWellFormed() }))
}

/** The document with `more` at the end of its block `at`. */
export function typed(doc: Node, at: number, more: string): Node {
  const block = doc.child(at)
  const content = block.content.append(schema.node('paragraph', null, [schema.text(more)]).content)
  return doc.copy(doc.content.replaceChild(at, block.copy(content)))
}

/** Whether a text is the same after it was opened and saved, also if its blocks are other objects, as undo leaves them. */
export function isKept(edited: EditedText, text: string): boolean {
  return edited.textOf(edited.start) === text && edited.textOf(schema.nodeFromJSON(edited.start.toJSON())) === text
}

export interface Edits {
  readonly count: number
  /** Places of the blocks whose edit changed bytes elsewhere. */
  readonly spread: readonly number[]
}

/** Edits the first and the last paragraph, each for itself. */
export function tryEdits(edited: EditedText, text: string): Edits {
  const all = Array.from({ length: edited.start.childCount }, (_, i) => i)
  const paragraphs = all.filter((i) => edited.start.child(i).type.name === 'paragraph' && edited.sourceOf(i) !== '')
  const places = [...new Set([paragraphs[0], paragraphs.at(-1)])].filter((at) => at !== undefined)
  return { count: places.length, spread: places.filter((at) => !staysAt(edited, text, at)) }
}

function staysAt(edited: EditedText, text: string, at: number): boolean {
  const more = ' changed'
  const next = edited.textOf(typed(edited.start, at, more))
  const source = edited.sourceOf(at)
  const start = text.indexOf(source, edited.offsetOf(at))
  const [head, tail] = [text.slice(0, start), text.slice(start + source.length)]
  return (
    next.startsWith(head) && next.endsWith(tail) && next.slice(head.length, next.length - tail.length).endsWith(more)
  )
}
