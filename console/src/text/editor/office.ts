/**
 * Pasted HTML of office programs (Word, Google Docs, Excel, LibreOffice, Word in the browser), which says by styles and classes what
 * HTML has elements for: bold, lists, their levels. It becomes elements, so that pasting keeps what Markdown can say. Works in place on
 * what the browser has parsed in a document of its own.
 */

/** Where styles wait for being read: the policy of the page reports each `style`, also of a document that is only read. */
const kept_style = 'data-style'

/** The pasted HTML with its styles out of force. Only tags are changed, no text that looks like one; what is in a `template` is not pasted. */
export function withStylesKept(html: string): string {
  return html
    .replaceAll(/<(\/?)style\b/gi, '<$1template')
    .replaceAll(/<[a-z](?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?/gi, (tag) =>
      tag.replaceAll(/(["'\s/])style\s*=/gi, `$1 ${kept_style}=`),
    )
}

/** Gives the elements what their styles say. */
export function readStyles(root: ParentNode): void {
  for (const element of root.querySelectorAll('b, strong, i, em')) unwrapIfPlain(element)
  for (const element of root.querySelectorAll(`span[${kept_style}]`)) markByStyle(element)
  joinLists(root, 'p, h1, h2, h3, h4, h5, h6', wordItem)
  for (const wrapper of root.querySelectorAll('div.ListContainerWrapper')) wrapper.replaceWith(...wrapper.childNodes)
  joinLists(root, 'ul, ol', onlineItem)
  for (const list of root.querySelectorAll(':is(ul, ol) > :is(ul, ol)')) putIntoItem(list)
  for (const item of root.querySelectorAll('li[role=checkbox]')) readBox(item)
  for (const paragraph of root.querySelectorAll('p')) removeIfBlank(paragraph)
  for (const table of root.querySelectorAll('table')) nameColumns(table)
}

function styleOf(element: Element, name: string): string {
  const style = element.getAttribute(kept_style)?.toLowerCase() ?? ''
  const declared = style.split(';').find((each) => each.trimStart().startsWith(`${name}:`))
  return declared?.slice(declared.indexOf(':') + 1).trim() ?? ''
}

/** Google Docs puts everything into a `<b>` that is not bold. */
function unwrapIfPlain(element: Element): void {
  const isBold = /^(?:b|strong)$/i.test(element.tagName)
  const value = styleOf(element, isBold ? 'font-weight' : 'font-style')
  if (isBold ? /^(?:normal|[1-5]00)/.test(value) : value.startsWith('normal'))
    element.replaceWith(...element.childNodes)
}

function markByStyle(element: Element): void {
  const isHeading = element.closest('h1, h2, h3, h4, h5, h6, th') !== null
  if (!isHeading && /^(?:bold|[6-9]00)/.test(styleOf(element, 'font-weight'))) wrapContent(element, 'strong')
  if (styleOf(element, 'font-style').startsWith('italic')) wrapContent(element, 'em')
  const lines = `${styleOf(element, 'text-decoration')} ${styleOf(element, 'text-decoration-line')}`
  if (lines.includes('line-through')) wrapContent(element, 's')
}

function wrapContent(element: Element, name: string): void {
  const mark = element.ownerDocument.createElement(name)
  mark.append(...element.childNodes)
  element.append(mark)
}

/** An item of a list that the program has written as something else. */
interface Item {
  /** From 1. */
  readonly level: number
  readonly isOrdered: boolean
  /** What a new list begins with. */
  readonly start: string | null
  readonly content: readonly Node[]
}

/** A paragraph of Word: its level is in its style, and its mark in its text. */
function wordItem(paragraph: Element): Item | null {
  const level = /\blevel(\d+)/.exec(styleOf(paragraph, 'mso-list'))?.[1]
  if (level === undefined) return null
  const marks = [...paragraph.querySelectorAll('span')].filter((each) => styleOf(each, 'mso-list') === 'ignore')
  const text = marks[0]?.textContent?.trim() ?? ''
  for (const mark of marks) mark.remove()
  const content = paragraph.ownerDocument.createElement('p')
  content.append(...paragraph.childNodes)
  const isOrdered = /^\(?[0-9a-z]{1,5}[.)]/i.test(text)
  return { level: Number(level), isOrdered, start: /^\(?(\d+)/.exec(text)?.[1] ?? null, content: [content] }
}

/** Word in the browser writes a list of one item for each item, with its level. */
function onlineItem(list: Element): Item | null {
  const [item, ...others] = list.children
  const level = item?.getAttribute('data-aria-level')
  if (item === undefined || others.length > 0 || !level) return null
  const isOrdered = list.tagName === 'OL'
  return { level: Number(level), isOrdered, start: list.getAttribute('start'), content: [...item.childNodes] }
}

/** Makes lists of the items that follow each other. */
function joinLists(root: ParentNode, selector: string, itemOf: (element: Element) => Item | null): void {
  const open: { readonly list: Element; readonly level: number }[] = []
  let last: Element | null = null
  for (const element of root.querySelectorAll(selector)) {
    const before = element.previousElementSibling
    const item = itemOf(element)
    if (item === null) continue
    if (before === null || before !== last) open.length = 0
    last = addItem(open, element, item)
  }
}

/** Returns the outermost list, which stands in the place of its first item. */
function addItem(open: { readonly list: Element; readonly level: number }[], element: Element, item: Item): Element {
  const name = item.isOrdered ? 'OL' : 'UL'
  while (open.length > 0 && (open.at(-1)?.level ?? 0) > item.level) open.pop()
  const same = open.at(-1)
  if (same?.level === item.level && same.list.tagName !== name) open.pop()
  if (open.at(-1)?.level !== item.level) {
    const list = element.ownerDocument.createElement(name)
    if (item.isOrdered && item.start !== null) list.setAttribute('start', item.start)
    const above = open.at(-1)?.list.lastElementChild
    if (above) above.append(list)
    else element.before(list)
    open.push({ list, level: item.level })
  }
  const made = element.ownerDocument.createElement('li')
  made.append(...item.content)
  open.at(-1)?.list.append(made)
  element.remove()
  return open[0]?.list ?? element
}

/** Google Docs puts a list below an item beside it instead of into it. */
function putIntoItem(list: Element): void {
  const item = list.previousElementSibling
  if (item?.tagName === 'LI') item.append(list)
}

/** A checklist of Google Docs. */
function readBox(item: Element): void {
  item.setAttribute('data-checked', String(item.getAttribute('aria-checked') === 'true'))
  for (const box of item.querySelectorAll(':scope > img')) box.remove()
}

/** Programs space paragraphs by empty ones. */
function removeIfBlank(paragraph: Element): void {
  const isBlank = (paragraph.textContent ?? '').trim() === '' && paragraph.querySelector('img') === null
  if (isBlank && paragraph.closest('li, td, th') === null) paragraph.remove()
}

/** A table in Markdown begins with the names of its columns. */
function nameColumns(table: Element): void {
  if (table.querySelector('th') !== null) return
  for (const cell of table.querySelectorAll('tr:first-of-type > td')) {
    if (cell.closest('tr') !== table.querySelector('tr')) continue
    const name = table.ownerDocument.createElement('th')
    name.append(...cell.childNodes)
    cell.replaceWith(name)
  }
}
