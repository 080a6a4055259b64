/**
 * `GET /docs/…`: the documents as pages that need no JavaScript, each with its Markdown beside it, and `llms.txt`. The pages
 * are in `dist/build/docs` (`build/docs.ts`), the rest in `docs/`. Only files found there at the first request are served.
 */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { etagOf, notModifiedTag } from '../api/request/conditional.ts'
import { projectFile } from '../lib/project-file.ts'
import { encodeReply } from './content-coding.ts'
import type { Handler, IncomingRequest, Reply } from './exchange.ts'
import { once } from './once.ts'
import type { Router } from './router.ts'

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
/** The only page with a script. */
const search_page = '/docs/search.html'
const search_policy = `${policy}; script-src 'self'`

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.yaml': 'application/yaml; charset=utf-8',
}

/** Later folders win. */
const folders = ['docs', 'dist/build/docs'].map(projectFile)

export function addDocsPages(router: Router<Handler>, refuseUnknown: Handler): void {
  const files = once(findFiles)
  router.add('GET', '/docs/*', async (request, params) => {
    const file = (await files()).get(request.path)
    return file === undefined ? refuseUnknown(request, params) : await answer(request, file)
  })
}

/** Path of the site → file. */
async function findFiles(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name)
      if (!entry.isFile() || types[extname(file)] === undefined) continue
      found.set(`/docs/${relative(folder, file).replaceAll(sep, '/')}`, file)
    }
  }
  return found
}

async function answer(request: IncomingRequest, file: string): Promise<Reply> {
  const body = await readFile(file)
  const type = types[extname(file)] as string
  const etag = etagOf(body.toString('latin1'), undefined)
  const headers: Record<string, string> = {
    ETag: etag,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': request.path === search_page ? search_policy : policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  const held = notModifiedTag(request, etag)
  if (held !== null) return { status: 304, headers: { ...headers, ETag: held }, body: null }
  const reply = { status: 200, headers: { ...headers, 'Content-Type': type }, body }
  if (type === types['.png']) return reply
  return await encodeReply(reply, String(request.headers['accept-encoding'] ?? ''))
}
