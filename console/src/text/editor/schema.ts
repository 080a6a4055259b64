/**
 * What the editor can hold: exactly what Markdown can say. Two parts keep what it cannot show: `source`, a block that is edited as
 * Markdown, and `raw`, HTML in a line. No file of this room but those that draw needs a browser.
 */
import { type AnyExtension, Mark, Node } from '@tiptap/core'
import { Code } from '@tiptap/extension-code'
import { CodeBlockLowlight } from '@tiptap/extension-code-block-lowlight'
import { BulletList, ListItem, OrderedList } from '@tiptap/extension-list'
import StarterKit from '@tiptap/starter-kit'
import { editor_colors } from '../highlight.ts'
import { linkTarget } from '../links.ts'
import { codeLanguage } from '../parse.ts'

/** An attribute that is kept but not shown. */
const hidden = (value: unknown) => ({ default: value, rendered: false })

const Bullets = BulletList.extend({
  addAttributes: () => ({ tight: hidden(true), markup: hidden('-') }),
})

const Numbers = OrderedList.extend({
  addAttributes: () => ({ tight: hidden(true), markup: hidden('.'), start: { default: 1 } }),
})

/** `checked` is null for items without a box. */
const Item = ListItem.extend({
  content: 'paragraph block*',
  addAttributes: () => ({
    checked: {
      default: null,
      parseHTML: (element) => checkedOf(element),
      renderHTML: ({ checked }) => (checked === null ? {} : { 'data-checked': String(checked) }),
    },
  }),
})

/** The box of a pasted item. */
function checkedOf(element: HTMLElement): boolean | null {
  const own = element.getAttribute('data-checked')
  if (own !== null) return own === 'true'
  const box = element.querySelector<HTMLInputElement>(':scope > input[type=checkbox], :scope > label > input')
  return box === null ? null : box.checked
}

/** `soft`: a line that ends without a mark for the break. */
const Break = Node.create({
  name: 'hardBreak',
  inline: true,
  group: 'inline',
  selectable: false,
  addAttributes: () => ({ soft: hidden(false) }),
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
})

const Image = Node.create({
  name: 'image',
  inline: true,
  group: 'inline',
  addAttributes: () => ({ src: { default: '' }, alt: { default: '' }, title: { default: null } }),
  parseHTML: () => [{ tag: 'img[src]', getAttrs: (element) => (isShown(element.getAttribute('src')) ? null : false) }],
  // Only an address that the console itself serves is loaded.
  renderHTML: ({ node }) => ['span', { class: 'markdown-lost' }, String(node.attrs.alt || node.attrs.src)],
})

function isShown(address: string | null): boolean {
  return linkTarget(address ?? '').kind !== 'none'
}

const Mention = Node.create({
  name: 'mention',
  inline: true,
  group: 'inline',
  atom: true,
  addAttributes: () => ({
    id: { default: '', parseHTML: (element) => element.getAttribute('data-mention'), rendered: false },
    label: { default: '', parseHTML: (element) => element.textContent, rendered: false },
  }),
  parseHTML: () => [{ tag: 'span[data-mention]' }],
  renderHTML: ({ node }) => [
    'span',
    { class: 'markdown-person', 'data-mention': String(node.attrs.id) },
    String(node.attrs.label),
  ],
  renderText: ({ node }) => String(node.attrs.label),
})

/** A block that only its Markdown can express, such as HTML and the definitions of links. */
const Source = Node.create({
  name: 'source',
  group: 'block',
  content: 'text*',
  marks: '',
  code: true,
  defining: true,
  parseHTML: () => [{ tag: 'pre[data-source]', preserveWhitespace: 'full' }],
  renderHTML: () => ['pre', { class: 'editor-source', 'data-source': '' }, ['code', 0]],
})

const cell = {
  content: 'paragraph+',
  isolating: true,
  addAttributes: () => ({
    colspan: hidden(1),
    rowspan: hidden(1),
    colwidth: hidden(null),
    align: { default: null, renderHTML: ({ align }: { align?: unknown }) => (align ? { 'data-align': align } : {}) },
  }),
}
const TableCell = Node.create({
  ...cell,
  name: 'tableCell',
  parseHTML: () => [{ tag: 'td' }],
  renderHTML: ({ HTMLAttributes }) => ['td', HTMLAttributes, 0],
})
const TableHeader = Node.create({
  ...cell,
  name: 'tableHeader',
  parseHTML: () => [{ tag: 'th' }],
  renderHTML: ({ HTMLAttributes }) => ['th', HTMLAttributes, 0],
})
const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)*',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: () => ['tr', 0],
})
const roles: Readonly<Record<string, string>> = {
  table: 'table',
  tableRow: 'row',
  tableCell: 'cell',
  tableHeader: 'header_cell',
}
const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: () => ['table', ['tbody', 0]],
  // What prosemirror-tables calls the parts of a table.
  extendNodeSchema: ({ name }) => (roles[name] === undefined ? {} : { tableRole: roles[name] }),
})

/** Addresses that are not allowed stay in the text and lead nowhere. */
function linkAttributes(href: string) {
  return linkTarget(href).kind === 'none' ? {} : { href, rel: 'noopener noreferrer nofollow', target: '_blank' }
}

const Link = Mark.create({
  name: 'link',
  inclusive: false,
  addAttributes: () => ({ href: { default: '' }, title: { default: null } }),
  parseHTML: () => [{ tag: 'a[href]', getAttrs: (element) => (isShown(element.getAttribute('href')) ? null : false) }],
  renderHTML: ({ mark }) => ['a', linkAttributes(String(mark.attrs.href)), 0],
})

/** An address that stands in the text as it is, also between `<` and `>`. */
const PlainLink = Mark.create({
  name: 'plainLink',
  inclusive: false,
  addAttributes: () => ({ href: hidden(''), angle: hidden(false) }),
  renderHTML: ({ mark }) => ['a', linkAttributes(String(mark.attrs.href)), 0],
})

const Raw = Mark.create({
  name: 'raw',
  inclusive: false,
  excludes: '_',
  code: true,
  parseHTML: () => [{ tag: 'span[data-raw]' }],
  renderHTML: () => ['span', { class: 'markdown-html', 'data-raw': '' }, 0],
})

/** Only the first word behind a fence becomes a class: the rest of the line could name others. */
const CodeBlock = CodeBlockLowlight.extend({
  renderHTML: ({ node }) => {
    const language = codeLanguage(String(node.attrs.language ?? ''))
    return ['pre', ['code', language === '' ? {} : { class: `language-${language}` }, 0]]
  },
})

export const schema_extensions: readonly AnyExtension[] = [
  StarterKit.configure({
    bulletList: false,
    orderedList: false,
    listItem: false,
    listKeymap: false,
    hardBreak: false,
    link: false,
    underline: false,
    code: false,
    codeBlock: false,
    trailingNode: false,
  }),
  CodeBlock.configure({ lowlight: editor_colors, exitOnTripleEnter: true }),
  Bullets,
  Numbers,
  Item,
  Break,
  Image,
  Mention,
  Source,
  Table,
  TableRow,
  TableHeader,
  TableCell,
  Link,
  // Behind links, because a link may contain code, and Markdown writes code innermost.
  Code.extend({ excludes: 'raw plainLink' }),
  PlainLink,
  Raw,
]
