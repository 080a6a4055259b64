/**
 * The documents as static pages: HTML that needs no JavaScript, OpenAPI as YAML, and llms.txt. Together with the files of
 * `docs/` they are a site: the server answers both below `/docs/`, and a release has them in one file. The pages' Markdown
 * lies beside them, at the same address with another ending.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFolder } from '../folder.ts'
import { collectionOf } from './collection.ts'
import { type PageGroup, pageGroups, type SitePage } from './pages.ts'
import { relinker, renderLine, renderPage } from './render.ts'
import { search_html, searchScript } from './search.ts'
import { escapeHtml, pageHtml, summaryOf } from './template.ts'

const root = join(import.meta.dirname, '../..')
/** The folder of the build that the server reads. */
export const built_docs = join(root, 'dist/build/docs')

/** Builds into a folder, which is replaced when the build is complete. */
export async function buildDocs(folder: string): Promise<void> {
  const { stringify } = await import('yaml')
  const groups = pageGroups()
  const pages = groups.flatMap((group) => group.pages)
  const relink = relinker(pages, (source) => source.startsWith('docs/') && existsSync(join(root, source)))
  await replaceFolder(folder, async (next) => {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(next, path)), { recursive: true })
      writeFileSync(join(next, path), text)
    }
    for (const page of pages) {
      const html = renderPage(page, relink)
      write(`${page.address}.html`, pageHtml({ ...page, html, markdown: markdownOf(page) }, groups))
      if (!page.source.startsWith('docs/')) write(markdownOf(page), page.text)
    }
    const start = { title: 'Atrium', address: 'index', html: startHtml(groups), markdown: null }
    write('index.html', pageHtml(start, groups))
    write('search.html', pageHtml({ title: 'Search', address: 'search', html: search_html, markdown: null }, groups))
    write('search.js', await searchScript(pages))
    write('llms.txt', llmsText(groups))
    const openapi = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
    // Every value is written out: not every reader of YAML knows aliases.
    write(
      'openapi.yaml',
      stringify(openapi, { aliasDuplicateObjects: false, lineWidth: 0, indent: 1, indentSeq: false }),
    )
    write('atrium.postman_collection.json', `${JSON.stringify(collectionOf(openapi))}\n`)
    cpSync(join(import.meta.dirname, 'style.css'), join(next, 'style.css'))
  })
}

/** The pictures of the console are for those who work on it; only the repository has them. */
export function isPublished(path: string): boolean {
  return path !== join(root, 'docs/pictures/console')
}

/** The whole site in one folder. `pages` is what `buildDocs` wrote. */
export function copySite(pages: string, folder: string): void {
  cpSync(join(root, 'docs'), folder, { recursive: true, filter: isPublished })
  cpSync(pages, folder, { recursive: true })
}

/** From the root of the site. */
function markdownOf({ source, address }: SitePage): string {
  return source.startsWith('docs/') ? source.slice('docs/'.length) : `${address}.md`
}

const introduction =
  'A self-hosted platform for the work of an organization: workspaces, projects, tasks, time, money, whiteboards and automations, behind one HTTP/JSON API and a web console.'

function startHtml(groups: readonly PageGroup[]): string {
  const sections = groups.map(({ name, pages }) => {
    const items = pages.map(
      (page) => `<li><a href="${page.address}.html">${escapeHtml(page.title)}</a>: ${renderLine(summaryOf(page))}</li>`,
    )
    return `<h2>${name}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`
  })
  return `<h1>Atrium</h1>
<p>${introduction}</p>
<p>The API as one document: OpenAPI 3.1 as <a href="openapi.json">JSON</a> and <a href="openapi.yaml">YAML</a>, and a
<a href="atrium.postman_collection.json">collection of requests</a> for Postman, Bruno and Insomnia. A running server shows it, with search
and requests to try, at <code>/docs</code>. For language models: <a href="llms.txt">llms.txt</a>.</p>
${sections.join('')}`
}

/** The form of llmstxt.org: every page in Markdown, with what it is about. */
function llmsText(groups: readonly PageGroup[]): string {
  const sections = groups.map(({ name, pages }) => {
    // What a reader in a hurry may leave out has this name in the form.
    const heading = name === 'Inside' ? 'Optional' : name
    const items = pages.map((page) => `- [${page.title}](${markdownOf(page)}): ${summaryOf(page)}`)
    return `## ${heading}\n\n${items.join('\n')}\n`
  })
  const files = `- [OpenAPI 3.1](openapi.json): every operation, as JSON; also as [YAML](openapi.yaml).
- [Collection](atrium.postman_collection.json): a request for each operation, for Postman, Bruno and Insomnia.
`
  return `# Atrium\n\n> ${introduction}\n\n${files}\n${sections.join('\n')}`
}
