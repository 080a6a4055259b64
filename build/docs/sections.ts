/** The pages in sections, for the search: each heading with the text below it. */
import type { Token } from 'markdown-it'
import type { SitePage } from './pages.ts'
import { parsePage } from './render.ts'

export interface Section {
  readonly page: string
  /** The heading; that of the page for its beginning. */
  readonly title: string
  readonly text: string
  /** From the root of the site. */
  readonly to: string
}

export function sectionsOf(page: SitePage): Section[] {
  const sections: Section[] = []
  let begun = { title: page.title, anchor: '', texts: [] as string[] }
  const end = () => {
    const { title, anchor, texts } = begun
    const text = texts.join(' ').replaceAll(/\s+/g, ' ').trim()
    if (text !== '') sections.push({ page: page.title, title, text, to: `${page.address}.html${anchor}` })
  }
  const tokens = parsePage(page)
  for (const [i, token] of tokens.entries()) {
    const isHeading = tokens[i - 1]?.type === 'heading_open'
    if (isHeading && tokens[i - 1]?.tag !== 'h1') {
      end()
      begun = { title: textOf(token), anchor: `#${tokens[i - 1]?.attrGet('id')}`, texts: [] }
    } else if (!isHeading) begun.texts.push(textOf(token))
  }
  end()
  return sections
}

function textOf({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block') return content
  return (children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('')
}
