/**
 * A text while it is edited. Blocks that are not edited keep their Markdown, and so does what stands between them: opening
 * and saving changes nothing, and an edit of one paragraph leaves all other bytes alone.
 */
import type { Node, Schema } from '@tiptap/pm/model'
import { divide, type SourceText } from './from-markdown.ts'
import { blockText } from './to-markdown.ts'

export class EditedText {
  /** The document at the beginning. */
  readonly start: Node
  readonly #text: string
  readonly #source: SourceText
  /** The place of each block of the beginning. */
  readonly #places = new Map<Node, number>()

  constructor(schema: Schema, text: string) {
    this.#text = text
    this.#source = divide(text)
    const nodes = this.#source.blocks.map(({ node, source }) => faithful(schema, node, source))
    this.start = schema.topNodeType.create(
      null,
      nodes.length === 0 ? [schema.nodes.paragraph?.create() as Node] : nodes,
    )
    for (const [i, node] of nodes.entries()) this.#places.set(node, i)
  }

  /** The Markdown of a block at the beginning. */
  sourceOf(place: number): string {
    return this.#source.blocks[place]?.source ?? ''
  }

  /** Where it begins in the text. */
  offsetOf(place: number): number {
    const { blocks, gaps } = this.#source
    const before =
      gaps.slice(0, place + 1).join('') +
      blocks
        .slice(0, place)
        .map(({ source }) => source)
        .join('')
    return before.length
  }

  /** The Markdown of the document as it is now. */
  textOf(doc: Node): string {
    if (doc === this.start || doc.eq(this.start)) return this.#text
    const close = this.#join(doc, true)
    return isSame(doc, close) ? close : this.#join(doc, false)
  }

  /** The places of the blocks; undefined for those that were edited. */
  #placesIn(doc: Node): (number | undefined)[] {
    const { childCount } = doc
    const before = this.start.childCount
    return Array.from({ length: childCount }, (_, i) => {
      const node = doc.child(i)
      const place = this.#places.get(node)
      if (place !== undefined) return place
      // Undo and redo put equal blocks into the document that are not the same objects.
      return [i, before - childCount + i].find(
        (at) => this.start.maybeChild(at)?.eq(node) && at < this.#source.blocks.length,
      )
    })
  }

  /** `keepsGaps`: edited blocks stay as close to their neighbours as they were, even without a blank line. */
  #join(doc: Node, keepsGaps: boolean): string {
    const { blocks, gaps } = this.#source
    const places = this.#placesIn(doc)
    const lineEnd = this.#text.includes('\r\n') ? '\r\n' : '\n'
    let text = ''
    let last: number | undefined | null = null
    for (const [i, place] of places.entries()) {
      const own = place === undefined ? blockText(doc.child(i)) : (blocks[place]?.source as string)
      if (own === '') continue
      text += last === null ? (gaps[0] ?? '').replace(/^\s*\S.*$/s, '') : this.#gap(last, place, keepsGaps, lineEnd)
      text += place === undefined ? own.replaceAll('\n', lineEnd) : own
      last = place
    }
    return text === '' ? '' : text + (gaps.at(-1) ?? '')
  }

  #gap(left: number | undefined, right: number | undefined, keepsGaps: boolean, lineEnd: string): string {
    const { gaps } = this.#source
    const blank = lineEnd + lineEnd
    if (left !== undefined && right === left + 1) return gaps[right] as string
    const found = right !== undefined && right > 0 ? gaps[right] : left === undefined ? undefined : gaps[left + 1]
    if (found === undefined || found === '') return blank
    return keepsGaps || /\n[ \t]*\r?\n/.test(found) ? found.replace(/^$/, blank) : blank
  }
}

/** The block as the editor shows it, if its Markdown would still say the same after an edit; else its Markdown. */
function faithful(schema: Schema, json: SourceText['blocks'][number]['node'], source: string): Node {
  const asSource = () => schema.nodeFromJSON({ type: 'source', content: [{ type: 'text', text: source }] })
  if (json === null) return asSource()
  const node = schema.nodeFromJSON(json)
  return isSame(schema.topNodeType.create(null, node), blockText(node)) ? node : asSource()
}

/** Whether the Markdown says what the document shows. */
function isSame(doc: Node, text: string): boolean {
  const { schema } = doc.type
  const blocks = divide(text).blocks
  const shown = Array.from({ length: doc.childCount }, (_, i) => doc.child(i)).filter((node) => blockText(node) !== '')
  return (
    blocks.length === shown.length &&
    blocks.every(({ node, source }, i) => {
      const other = shown[i] as Node
      if (node === null || other.type.name === 'source') return other.textContent.trimEnd() === source.trimEnd()
      return schema.nodeFromJSON(node).eq(other)
    })
  )
}
