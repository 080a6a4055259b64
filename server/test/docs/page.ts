/** A Markdown page: its code blocks, links and anchors. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export interface Block {
  /** `sh`, `ts`, `json` …; empty if the fence names none. */
  readonly language: string
  /** The second word of the fence: the block's file name. */
  readonly file: string | null
  readonly text: string
  /** The line of its fence, from 1. */
  readonly line: number
  /** The previous block if only empty lines lie between. */
  readonly follows: Block | null
}

export interface Link {
  readonly words: string
  /** As written, without the anchor. */
  readonly to: string
  readonly anchor: string | null
}

export interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  readonly links: readonly Link[]
}

export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, blocks: blocksOf(text), links: linksOf(text) }
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let end = 0
  for (const match of text.matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms)) {
    const [whole, language = '', file = null, inside = ''] = match
    const before = text.slice(end, match.index)
    const follows = before.trim() === '' ? (blocks.at(-1) ?? null) : null
    blocks.push({ language, file, text: inside, line: text.slice(0, match.index).split('\n').length, follows })
    end = match.index + whole.length
  }
  return blocks
}

/** The links of a text outside of code. */
export function linksOf(text: string): Link[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '')
  const found = prose.matchAll(/\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s#]*)(?:#([^)\s]*))?\)|`[^`\n]*`/g)
  return [...found].flatMap(([, words, to = '', anchor = null]) => (words === undefined ? [] : [{ words, to, anchor }]))
}

/** The target of a link as a path from the root. */
export function targetOf(page: Page, link: Link): string {
  return link.to === '' ? page.path : relative(root, join(root, dirname(page.path), link.to))
}

/** The anchors of a page's headings, formed as GitHub does. */
export function anchorsOf({ text }: Page): Set<string> {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, words = '']) =>
      words
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}
