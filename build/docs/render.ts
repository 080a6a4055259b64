/** Markdown as HTML: headings have the anchors that GitHub gives them, links lead to pages of the site. */
import { posix } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'
import type { SitePage } from './pages.ts'

/** Where a link of a page leads: an address relative to the page, or null if the site has nothing there. */
export type Relink = (page: SitePage, to: string) => string | null

/** `isFile` says whether a path of the repository is a file of the site beside the pages. */
export function relinker(pages: readonly SitePage[], isFile: (source: string) => boolean): Relink {
  const addresses = new Map(pages.map(({ source, address }) => [source, address]))
  return (page, to) => {
    if (/^(?:https?:|mailto:|#)/.test(to)) return to
    const [path = '', anchor] = to.split('#')
    const source = posix.normalize(posix.join(posix.dirname(page.source), path)).replace(/\/$/, '')
    const address = addresses.get(source) ?? addresses.get(`${source}/README.md`)
    const file = address === undefined ? (isFile(source) ? posix.relative('docs', source) : null) : `${address}.html`
    if (file === null) return null
    const relative = posix.relative(posix.dirname(page.address), file)
    return anchor === undefined ? relative : `${relative}#${anchor}`
  }
}

// The documents are the project's own, and some hold elements of HTML.
const markdown = new MarkdownIt({ html: true })

/** One line of Markdown without a paragraph around it. */
export function renderLine(text: string): string {
  return markdown.renderInline(text)
}

/** The page in tokens; its headings have their anchors. */
export function parsePage({ text }: SitePage): Token[] {
  const tokens = markdown.parse(text, {})
  const anchors = new Map<string, number>()
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', newAnchor(tokens[i + 1]?.content ?? '', anchors))
  }
  return tokens
}

export function renderPage(page: SitePage, relink: Relink): string {
  const tokens = parsePage(page)
  for (const { children } of tokens) if (children !== null) relinkWithin(children, (to) => relink(page, to))
  const html = markdown.renderer.render(tokens, markdown.options, {})
  // Wide tables scroll by themselves, also by keyboard.
  return html
    .replaceAll('<table>', '<div class="table" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}

/** Links without a target become plain text. */
function relinkWithin(tokens: readonly Token[], relink: (to: string) => string | null): void {
  let isDropped = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const to = relink(String(token.attrGet('href') ?? ''))
      isDropped = to === null
      if (to !== null) token.attrSet('href', to)
    }
    if (token.type === 'image') token.attrSet('src', relink(String(token.attrGet('src') ?? '')) ?? '')
    if (isDropped && token.type.startsWith('link_')) {
      if (token.type === 'link_close') isDropped = false
      token.tag = 'span'
      token.attrs = null
    }
  }
}

/** The anchor of a heading: lower case, `-` for spaces, without punctuation; numbered if the page has it already. */
function newAnchor(heading: string, taken: Map<string, number>): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  const anchor = words.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
  const count = taken.get(anchor) ?? 0
  taken.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}
