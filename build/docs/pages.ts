/** Which documents become pages, in which group, at which address. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { guides, manuals } from '../../server/src/derive/guides.ts'

const root = join(import.meta.dirname, '../..')

export interface SitePage {
  /** From the root of the repository. */
  readonly source: string
  /** From the root of the site, without ending: `guides/first-call`. It is permanent. */
  readonly address: string
  readonly title: string
  readonly text: string
}

export interface PageGroup {
  readonly name: string
  readonly pages: readonly SitePage[]
}

/** Documents outside of `docs/` that belong to the site. */
const outside: Readonly<Record<string, string>> = {
  'sdk/typescript/README.md': 'typescript-sdk',
  'sdk/python/README.md': 'python-sdk',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
}

const listed: readonly (readonly [group: string, sources: readonly string[]])[] = [
  ['Guides', guides.map(({ path }) => path)],
  ['Reference', ['docs/operations.md', 'docs/rights.md', 'docs/errors.md', 'docs/events.md', 'docs/mcp-tools.md']],
  ['Manuals', [...manuals.map(({ path }) => path), 'docs/console.md', 'docs/inbox.md']],
  [
    'Operation',
    ['docs/hosting.md', 'docs/deployment.md', 'docs/growing.md', 'SECURITY.md', 'docs/releases.md', 'CHANGELOG.md'],
  ],
  ['The contract', globSync('docs/contract/*.md', { cwd: root }).sort(readmeFirst)],
]

/** Every document, each in one group; what no group lists comes last. */
export function pageGroups(): PageGroup[] {
  const named = new Set(listed.flatMap(([, sources]) => sources))
  const rest = globSync('docs/**/*.md', { cwd: root }).filter((source) => !named.has(source))
  const groups = [...listed, ['Inside', rest.sort(readmeFirst)] as const]
  return groups.map(([name, sources]) => ({ name, pages: sources.map(readPage) }))
}

function readmeFirst(a: string, b: string): number {
  const [one, two] = [a, b].map((path) => path.replace('README.md', ''))
  return (one ?? '') < (two ?? '') ? -1 : 1
}

function readPage(source: string): SitePage {
  const text = readFileSync(join(root, source), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`${source} has no heading. Begin it with "# ".`)
  return { source, address: addressOf(source), title: title.replaceAll('`', ''), text }
}

function addressOf(source: string): string {
  const address = outside[source] ?? posix.relative('docs', source).replace(/\.md$/, '')
  if (address.startsWith('..')) throw new Error(`${source} has no address. Add it to build/docs/pages.ts.`)
  return address.replace(/(^|\/)README$/, '$1index')
}
