/** The page that searches the documents: the only one with a script (`search/page.ts`), which contains the texts. */
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import type { SitePage } from './pages.ts'
import { sectionsOf } from './sections.ts'

const virtual = 'virtual:sections'

export const search_html = `<h1>Search</h1>
<p id="status" role="status">The search needs JavaScript; everything else here does not. <a href="#documents">All pages</a></p>
<ol id="results"></ol>
<script src="search.js" defer></script>
`

/** The script as text. */
export async function searchScript(pages: readonly SitePage[]): Promise<string> {
  const { build } = await import('rolldown')
  const sections: Plugin = {
    name: 'sections',
    resolveId: (source) => (source === virtual ? `\0${virtual}` : null),
    load: (id) =>
      id === `\0${virtual}` ? `export const sections = ${JSON.stringify(pages.flatMap(sectionsOf))}` : null,
  }
  const { output } = await build({
    input: join(import.meta.dirname, 'search/page.ts'),
    plugins: [sections],
    output: { format: 'iife', minify: true },
    write: false,
  })
  return output[0].code
}
