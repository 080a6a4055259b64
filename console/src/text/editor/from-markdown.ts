/** Turns Markdown into the blocks of the editor, each with the lines that it came from. */
import type { JSONContent } from '@tiptap/core'
import { isMentioned, linkTarget } from '../links.ts'
import { outline, type Part } from '../outline.ts'
import { lineStarts, parse, type TaskBox } from '../parse.ts'

/** A block and its Markdown; `node` is null if only the Markdown can express it. */
interface SourceBlock {
  readonly node: JSONContent | null
  readonly source: string
}

/** A text in blocks and what stands between them: `gaps[i]` is before block i, the last one is the end of the text. */
export interface SourceText {
  readonly blocks: readonly SourceBlock[]
  readonly gaps: readonly string[]
}

/** Something that the editor has no part for. */
class Unsupported extends Error {}

/** Joined again, blocks and gaps are the text, byte for byte. */
export function divide(text: string): SourceText {
  const starts = lineStarts(text)
  const blocks: SourceBlock[] = []
  const gaps: string[] = []
  let end = 0
  const add = (from: number, to: number, node: JSONContent | null) => {
    gaps.push(text.slice(end, from))
    blocks.push({ node, source: text.slice(from, to) })
    end = to
  }
  // What is between the parser's blocks and not empty defines the targets of links.
  const addDefinitions = (to: number) => {
    const between = text.slice(end, to)
    const first = between.search(/\S/)
    if (first < 0) return
    const from = end + Math.max(between.lastIndexOf('\n', first), between.lastIndexOf('\r', first)) + 1
    add(from, end + between.trimEnd().length, null)
  }
  for (const part of outline(parse(text))) {
    const [first, last] = part.token.map ?? [0, 0]
    const from = starts[first] as number
    addDefinitions(from)
    add(from, from + text.slice(from, starts[last] ?? text.length).trimEnd().length, blockOf(part))
  }
  addDefinitions(text.length)
  gaps.push(text.slice(end))
  return { blocks, gaps }
}

function blockOf(part: Part): JSONContent | null {
  try {
    return block(part)
  } catch (error) {
    if (error instanceof Unsupported) return null
    throw error
  }
}

function block(part: Part): JSONContent {
  const { token, parts } = part
  switch (token.type) {
    case 'paragraph_open':
      return paragraph(parts)
    case 'heading_open':
      return { type: 'heading', attrs: { level: Number(token.tag.slice(1)) }, ...content(inlineOf(parts)) }
    case 'bullet_list_open':
      return { type: 'bulletList', attrs: listAttrs(part), content: parts.map(item) }
    case 'ordered_list_open': {
      const start = Number(token.attrGet('start') ?? 1)
      return { type: 'orderedList', attrs: { ...listAttrs(part), start }, content: parts.map(item) }
    }
    case 'blockquote_open':
      return { type: 'blockquote', content: parts.length === 0 ? [{ type: 'paragraph' }] : parts.map(block) }
    case 'fence':
    case 'code_block': {
      const code = token.content.replace(/\n$/, '')
      return { type: 'codeBlock', attrs: { language: token.info.trim() || null }, ...content(textOf(code)) }
    }
    case 'hr':
      return { type: 'horizontalRule' }
    case 'table_open':
      return { type: 'table', content: parts.flatMap(({ parts: rows }) => rows.map(row)) }
    default:
      throw new Unsupported(token.type)
  }
}

const content = (nodes: JSONContent[]) => (nodes.length === 0 ? {} : { content: nodes })
const textOf = (text: string, marks: Marks = []): JSONContent[] =>
  text === '' ? [] : [{ type: 'text', text, ...(marks.length > 0 ? { marks: [...marks] } : {}) }]

function paragraph(parts: readonly Part[]): JSONContent {
  return { type: 'paragraph', ...content(inlineOf(parts)) }
}

/** Tight: no blank line between the items. */
function listAttrs({ token, parts }: Part) {
  const paragraphs = parts.flatMap(({ parts: inner }) => inner.filter((each) => each.token.type === 'paragraph_open'))
  return { tight: paragraphs.every((each) => each.token.hidden), markup: token.markup }
}

function item({ token, parts }: Part): JSONContent {
  const checked = (token.meta as TaskBox | null)?.checked ?? null
  const inner = parts.map(block)
  // An item begins with a paragraph, which may be empty.
  if (inner[0] !== undefined && inner[0].type !== 'paragraph') throw new Unsupported('item')
  return { type: 'listItem', attrs: { checked }, content: inner.length === 0 ? [{ type: 'paragraph' }] : inner }
}

function row({ parts }: Part): JSONContent {
  const cells = parts.map(({ token, parts: inner }) => {
    const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style')))?.[1] ?? null
    const type = token.type === 'th_open' ? 'tableHeader' : 'tableCell'
    return { type, attrs: { align }, content: [paragraph(inner)] }
  })
  return { type: 'tableRow', content: cells }
}

type Marks = readonly { readonly type: string; readonly attrs?: Record<string, unknown> }[]

function inlineOf(parts: readonly Part[]): JSONContent[] {
  const nodes = parts.flatMap(({ token, parts: inner }) => {
    if (token.type !== 'inline') throw new Unsupported(token.type)
    return inner.flatMap((part) => inline(part, []))
  })
  return joined(nodes)
}

const simple_marks: Readonly<Record<string, string>> = { em_open: 'italic', strong_open: 'bold', s_open: 'strike' }

function inline(part: Part, marks: Marks): JSONContent[] {
  const { token, parts } = part
  const inside = (type: string, attrs?: Record<string, unknown>) => {
    const all = marks.some((mark) => mark.type === type) ? marks : [...marks, attrs ? { type, attrs } : { type }]
    return parts.flatMap((each) => inline(each, all))
  }
  switch (token.type) {
    case 'text':
    case 'text_special':
      return textOf(token.content, marks)
    case 'softbreak':
    case 'hardbreak':
      return [{ type: 'hardBreak', attrs: { soft: token.type === 'softbreak' }, ...withMarks(marks) }]
    case 'code_inline':
      return textOf(token.content, [...marks, { type: 'code' }])
    case 'html_inline':
      return textOf(token.content, [{ type: 'raw' }])
    case 'image':
      return [{ type: 'image', attrs: imageAttrs(part), ...withMarks(marks) }]
    case 'link_open':
      return reference(part, marks, inside)
    default: {
      const mark = simple_marks[token.type]
      if (mark === undefined) throw new Unsupported(token.type)
      return inside(mark)
    }
  }
}

const withMarks = (marks: Marks) => (marks.length > 0 ? { marks: [...marks] } : {})

function imageAttrs({ token }: Part) {
  const title = token.attrGet('title')
  return { src: String(token.attrGet('src') ?? ''), alt: token.content, title: title === null ? null : String(title) }
}

function reference(
  { token, parts }: Part,
  marks: Marks,
  inside: (type: string, attrs?: Record<string, unknown>) => JSONContent[],
): JSONContent[] {
  const href = String(token.attrGet('href') ?? '')
  const target = linkTarget(href)
  const only = parts.length === 1 ? parts[0]?.token : undefined
  if (target.kind === 'object' && isMentioned(target.id) && only?.type === 'text' && only.content.startsWith('@')) {
    return [{ type: 'mention', attrs: { id: target.id, label: only.content }, ...withMarks(marks) }]
  }
  if (token.markup === 'linkify' || token.markup === 'autolink') {
    return textOf(only?.content ?? '', [
      ...marks,
      { type: 'plainLink', attrs: { href, angle: token.markup === 'autolink' } },
    ])
  }
  const title = token.attrGet('title')
  return inside('link', { href, title: title === null ? null : String(title) })
}

/** Neighbouring texts with the same marks are one, as the editor has them. */
function joined(nodes: readonly JSONContent[]): JSONContent[] {
  const result: JSONContent[] = []
  for (const node of nodes) {
    const last = result.at(-1)
    if (last?.type === 'text' && node.type === 'text' && JSON.stringify(last.marks) === JSON.stringify(node.marks)) {
      last.text = `${last.text}${node.text}`
    } else result.push({ ...node })
  }
  return result
}
