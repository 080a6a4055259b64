/** `npm run build:docs` writes the documents as static pages into `dist/build/docs`, for `GET /docs/…`. */
import { isInstalled } from './folder.ts'

const isPossible = ['markdown-it', 'yaml', 'minisearch', 'rolldown'].every(isInstalled)
if (isPossible || !process.argv.includes('--if-possible')) {
  const { buildDocs, built_docs } = await import('./docs/site.ts')
  await buildDocs(built_docs)
}
