/**
 * Markdown as the reader and the editor understand it: CommonMark with tables, task lists, strikethrough and links in plain
 * text. Both use this one parser, so what the editor shows is what readers see.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import { text_limits } from './limits.ts'

export type { Token }

/** Where the box of a task list item is: its line, and the first line of its text, from `[` on. */
export interface TaskBox {
  readonly checked: boolean
  readonly line: number
  readonly text: string
}

const box = /^\[([ xX])\](?=[ \t])/

/** Links in plain text begin with one of these; linkify-it would also link `readme.md`. */
const plain_link = /^(?:https?:\/\/|mailto:|www\.)/i

function createParser() {
  const parser = new MarkdownIt({ html: true, linkify: true, maxNesting: 100 })
  // The pattern of protocol-relative links is slow for texts such as `//a.b///a.b/…`.
  parser.linkify.set({ fuzzyLink: true, fuzzyEmail: false }).add('//', null).add('ftp:', null)
  // Renderers decide which addresses become links.
  parser.validateLink = () => true
  parser.core.ruler.push('plain_links', ({ tokens }) => {
    for (const { type, children } of tokens) if (type === 'inline' && children !== null) unlinkNames(children)
  })
  parser.core.ruler.push('task_boxes', ({ tokens }) => readBoxes(tokens))
  return parser
}

function unlinkNames(children: Token[]): void {
  for (let i = children.length - 3; i >= 0; i--) {
    const [open, text] = [children[i] as Token, children[i + 1] as Token]
    if (open.type !== 'link_open' || open.markup !== 'linkify' || plain_link.test(text.content)) continue
    children.splice(i, 3, text)
  }
}

/** Takes the box off the text of a task list item and describes it in `meta` of the item. */
function readBoxes(tokens: Token[]): void {
  for (let i = 0; i + 2 < tokens.length; i++) {
    const [item, paragraph, inline] = [tokens[i] as Token, tokens[i + 1] as Token, tokens[i + 2] as Token]
    if (item.type !== 'list_item_open' || paragraph.type !== 'paragraph_open') continue
    const mark = box.exec(inline.content)?.[1]
    const first = inline.children?.[0]
    if (mark === undefined || first?.type !== 'text' || !first.content.startsWith('[')) continue
    const text = inline.content.split('\n', 1)[0] as string
    item.meta = { checked: mark !== ' ', line: inline.map?.[0] ?? 0, text } satisfies TaskBox
    first.content = first.content.slice(4).trimStart()
  }
}

const parser = createParser()

export function parse(text: string): Token[] {
  return parser.parse(text, {})
}

/** Whether the text is too large or too deep to be rendered; the parser drops what is nested beyond its own bound. */
export function isExcessive(tokens: readonly Token[]): boolean {
  let parts = tokens.length
  for (const { level, children } of tokens) {
    parts += children?.length ?? 0
    if (level > text_limits.depth_max || parts > text_limits.parts_max) return true
    if (children?.some((child) => child.level > text_limits.depth_max)) return true
  }
  return false
}

/** The first character of each line, in the lines of the parser. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length)
  return starts
}

/** The boxes of a text, from the top. */
export function boxesOf(text: string): TaskBox[] {
  return parse(text).flatMap(({ meta }) => {
    const box = meta as TaskBox | null
    return box === null ? [] : [box]
  })
}

/**
 * The text with the mark of one box changed and every other character as it is. If lines moved since the box was read, its
 * item is found by its text. Null if the item is not there, or several are alike.
 */
export function tick(text: string, box: TaskBox, checked: boolean): string | null {
  const starts = lineStarts(text)
  const marks = boxesOf(text).filter((found) => found.text.slice(3) === box.text.slice(3))
  const same = marks.find(({ line }) => line === box.line) ?? (marks.length === 1 ? marks[0] : undefined)
  if (same === undefined) return null
  const start = starts[same.line] as number
  const content = text.slice(start, starts[same.line + 1] ?? text.length)
  const mark = start + content.lastIndexOf(same.text) + 1
  return `${text.slice(0, mark)}${checked ? 'x' : ' '}${text.slice(mark + 1)}`
}

/** The language of a block of code: the first word behind its fence, empty without one. */
export function codeLanguage(info: string): string {
  return /^[\w+#.-]{1,40}/.exec(info.trim())?.[0] ?? ''
}
