/** The frame of a page: it needs no JavaScript and no other host, and its links work below any address. */
import { posix } from 'node:path'
import type { PageGroup, SitePage } from './pages.ts'

interface Content {
  readonly title: string
  /** From the root of the site, without ending. */
  readonly address: string
  readonly html: string
  /** The Markdown beside the page; null if it has none. */
  readonly markdown: string | null
}

export function pageHtml({ title, address, html, markdown }: Content, groups: readonly PageGroup[]): string {
  const to = (path: string) => posix.relative(posix.dirname(address), path)
  const beside = markdown === null ? '' : to(markdown)
  const name = title === 'Atrium' ? title : `${escapeHtml(title)} – Atrium`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="stylesheet" href="${to('style.css')}">
${beside === '' ? '' : `<link rel="alternate" type="text/markdown" href="${beside}">\n`}</head>
<body>
<header>
<a class="skip" href="#content">Skip to the content</a>
<a href="${to('index.html')}"><strong>Atrium</strong> documents</a>
<a class="list" href="#documents">All pages</a>
<form role="search" action="${to('search.html')}"><input type="search" name="q" aria-label="Search the documents" placeholder="Search"></form>
</header>
<main id="content">
${html}${beside === '' ? '' : `<p class="beside"><a href="${beside}">This page as Markdown</a></p>\n`}</main>
<nav id="documents" aria-label="Documents">
${groups.map((group) => groupHtml(group, address, to)).join('\n')}
</nav>
</body>
</html>
`
}

function groupHtml({ name, pages }: PageGroup, address: string, to: (path: string) => string): string {
  const items = pages.map((page) => {
    const current = page.address === address ? ' aria-current="page"' : ''
    return `<li><a href="${to(`${page.address}.html`)}"${current}>${escapeHtml(page.title)}</a></li>`
  })
  const isOpen = name !== 'Inside' || pages.some((page) => page.address === address)
  return `<details${isOpen ? ' open' : ''}><summary>${name}</summary>\n<ul>\n${items.join('\n')}\n</ul></details>`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** What a page is about, in one line of plain text: the first sentence of its first paragraph. */
export function summaryOf({ text }: SitePage): string {
  const paragraphs = text
    .replaceAll(/<!--[\s\S]*?-->|^```[\s\S]*?^```$/gm, '')
    .split(/\n{2,}/)
    .filter((part) => /^[^#|<\s-]/.test(part))
  const plain = paragraphs.map((part) => part.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' '))
  // Decisions begin with their date, generated pages with a sentence for contributors.
  const told = plain.map((part) => part.replace(/^\d{4}-\d\d-\d\d\. ?|^Generated from .*?(?:[Dd]o not edit\.) ?/, ''))
  const first = told.find((part) => part !== '') ?? ''
  return (/^.*?\.(?= |$)/.exec(first)?.[0] ?? first).replace(/:$/, '.')
}
