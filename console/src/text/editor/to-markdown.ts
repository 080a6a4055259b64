/** Writes blocks of the editor as Markdown. */
import type { Mark, Node } from '@tiptap/pm/model'
import { MarkdownSerializer, type MarkdownSerializerState } from 'prosemirror-markdown'
import { objectAddress } from '../links.ts'

type State = MarkdownSerializerState

/** What would begin an HTML tag or a named character. */
const extra_escapes = /<(?=[a-z/!?])|&(?=#?\w+;)/gi

function fenceOf(code: string): string {
  const runs = code.match(/`{3,}/g) ?? []
  return '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
}

function quoted(title: unknown): string {
  return title === null || title === '' ? '' : ` "${String(title).replaceAll(/["\\]/g, '\\$&')}"`
}

const address = (href: unknown) => {
  const text = String(href)
  return /[\s<>]/.test(text) || text === ''
    ? `<${text.replaceAll(/[<>]/g, '\\$&')}>`
    : text.replaceAll(/[()\\]/g, '\\$&')
}

function writeTable(state: State, table: Node): void {
  table.forEach((row, _, i) => {
    const cells: string[] = []
    row.forEach((cell) => void cells.push(cellText(cell)))
    state.write(`| ${cells.join(' | ')} |`)
    if (i < table.childCount - 1 || i === 0) state.ensureNewLine()
    if (i > 0) return
    const rules: string[] = []
    row.forEach(({ attrs }) => void rules.push(ruleOf(attrs.align)))
    state.write(`| ${rules.join(' | ')} |`)
    if (table.childCount > 1) state.ensureNewLine()
  })
  state.closeBlock(table)
}

function ruleOf(align: unknown): string {
  if (align === 'center') return ':-:'
  return align === 'right' ? '--:' : align === 'left' ? ':--' : '---'
}

/** The cell in one line. */
function cellText(cell: Node): string {
  const texts: string[] = []
  cell.forEach(
    (paragraph) => void texts.push(serializer.serialize(cell.type.schema.topNodeType.create(null, paragraph))),
  )
  return texts.join(' ').replaceAll(/\\?\n/g, ' ').replaceAll('|', '\\|').trim()
}

function writeBreak(state: State, node: Node, parent: Node, index: number): void {
  // A break at the end of a block would be a backslash.
  for (let i = index + 1; i < parent.childCount; i++) {
    if (parent.child(i).type !== node.type) {
      state.text(node.attrs.soft ? '\n' : '\\\n', false)
      return
    }
  }
}

function writeText(state: State, node: Node, parent: Node, index: number): void {
  const isLineStart = index > 0 && parent.child(index - 1).type.name === 'hardBreak'
  // Declared by the library, not in its types: the next text is escaped as the beginning of a line.
  if (isLineStart) (state as State & { atBlockStart: boolean }).atBlockStart = true
  state.text(node.text ?? '')
}

const nodes: MarkdownSerializer['nodes'] = {
  paragraph(state, node) {
    state.renderInline(node)
    state.closeBlock(node)
  },
  heading(state, node) {
    state.write(`${'#'.repeat(node.attrs.level)} `)
    state.renderInline(node, false)
    state.closeBlock(node)
  },
  bulletList(state, node) {
    state.renderList(node, '  ', () => `${node.attrs.markup} `)
  },
  orderedList(state, node) {
    const first = Number(node.attrs.start)
    const width = String(first + node.childCount - 1).length + 2
    state.renderList(node, ' '.repeat(width), (i) => `${first + i}${node.attrs.markup} `.padEnd(width))
  },
  listItem(state, node) {
    if (node.attrs.checked !== null) state.write(node.attrs.checked ? '[x] ' : '[ ] ')
    state.renderContent(node)
  },
  blockquote(state, node) {
    state.wrapBlock('> ', null, node, () => state.renderContent(node))
  },
  codeBlock(state, node) {
    const fence = fenceOf(node.textContent)
    state.write(`${fence}${node.attrs.language ?? ''}\n`)
    if (node.textContent !== '') {
      state.text(node.textContent, false)
      state.write('\n')
    }
    state.write(fence)
    state.closeBlock(node)
  },
  horizontalRule(state, node) {
    state.write('---')
    state.closeBlock(node)
  },
  table: writeTable,
  source(state, node) {
    state.text(node.textContent, false)
    state.closeBlock(node)
  },
  hardBreak: writeBreak,
  text: writeText,
  image(state, { attrs }) {
    state.write(`![${state.esc(String(attrs.alt))}](${address(attrs.src)}${quoted(attrs.title)})`)
  },
  mention(state, { attrs }) {
    state.write(`[${state.esc(String(attrs.label))}](${objectAddress(String(attrs.id))})`)
  },
}

const marks: MarkdownSerializer['marks'] = {
  italic: { open: '*', close: '*', mixable: true, expelEnclosingWhitespace: true },
  bold: { open: '**', close: '**', mixable: true, expelEnclosingWhitespace: true },
  strike: { open: '~~', close: '~~', mixable: true, expelEnclosingWhitespace: true },
  link: {
    open: '[',
    close: (_, { attrs }: Mark) => `](${address(attrs.href)}${quoted(attrs.title)})`,
    mixable: true,
  },
  code: {
    open: (_, __, parent, index) => codeTicks(parent.child(index), true),
    close: (_, __, parent, index) => codeTicks(parent.child(index - 1), false),
    escape: false,
  },
  plainLink: {
    open: (_, { attrs }: Mark) => (attrs.angle ? '<' : ''),
    close: (_, { attrs }: Mark) => (attrs.angle ? '>' : ''),
    escape: false,
  },
  raw: { open: '', close: '', escape: false },
}

/** Backticks that the code does not contain, with a space where the code begins or ends with one. */
function codeTicks({ text = '' }: Node, isOpening: boolean): string {
  const runs = new Set((text.match(/`+/g) ?? []).map((run) => run.length))
  let size = 1
  while (runs.has(size)) size++
  const isPadded = text.startsWith(' ') && text.endsWith(' ') && /\S/.test(text)
  const isSpaced = text.startsWith('`') || text.endsWith('`') || isPadded
  const ticks = '`'.repeat(size)
  if (!isSpaced) return ticks
  return isOpening ? `${ticks} ` : ` ${ticks}`
}

const serializer = new MarkdownSerializer(nodes, marks, {
  hardBreakNodeName: 'hardBreak',
  escapeExtraCharacters: extra_escapes,
})

/** One block as Markdown, without a line end behind it. */
export function blockText(node: Node): string {
  return serializer.serialize(node.type.schema.topNodeType.create(null, node)).trimEnd()
}
