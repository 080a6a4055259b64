/**
 * `GET /docs`: the API reference, rendered by Scalar in the browser from the OpenAPI document with guides, manuals and
 * errors added. The server serves everything that the page needs, and the content security policy allows no other host:
 * the page works without internet access, and a key typed into it cannot leave.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { catalogue } from '../catalogue.ts'
import { errorSections } from '../derive/errors-page.ts'
import { guides, manuals, type Reading } from '../derive/guides.ts'
import { requestHeaders } from '../derive/openapi/headers.ts'
import type { JsonObject } from '../derive/openapi/json.ts'
import { type ReadPage, referenceDocument } from '../derive/reference-document.ts'
import { projectFile } from '../lib/project-file.ts'
import { chooseCoding } from './content-coding.ts'
import type { Handler, Reply } from './exchange.ts'
import { once } from './once.ts'
import type { Router } from './router.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium API</title>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. <a href="/docs/index.html">The same documents without it</a>, and the API as
<a href="/v1/openapi.json">OpenAPI</a>.</noscript>
<script src="/docs/start.js"></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`

const script_file = projectFile('dist/build/reference/scalar.js.gz')

const unbuilt_page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Atrium API</title></head>
<body>
<h1>The reference is not built</h1>
<p>Run <code>npm run build:reference</code>. The document itself: <a href="/v1/openapi.json">/v1/openapi.json</a></p>
</body>
</html>
`

// Scalar shortens the description of a group of operations and reserves half the page for its samples.
const style = `
.section .markdown { display: block !important; -webkit-line-clamp: unset !important; overflow: visible !important }
.section-column:empty { display: none }
.section-column:has(+ .section-column:empty) { max-width: 820px }
`

const settings = {
  url: '/docs/reference.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: style,
}

// `jitless`: Zod, which checks the document, would try to compile code from strings, which the policy forbids.
// A second try of a write with the example's key would replay the first answer, so each request gets a new key.
const start = `globalThis.__zod_globalConfig = { jitless: true }
addEventListener('DOMContentLoaded', () => {
  Scalar.createApiReference('#reference', {
    ...${JSON.stringify(settings)},
    servers: [{ url: location.origin }],
    onRequestBuilt: ({ request }) => {
      if (request.headers.get('Idempotency-Key') !== '${requestHeaders.IdempotencyKey.example}') return
      const random = crypto.getRandomValues(new Uint32Array(4))
      request.headers.set('Idempotency-Key', Array.from(random, (n) => n.toString(36)).join('-'))
    },
  })
})
`

const html = 'text/html; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'
const json = 'application/json; charset=utf-8'

export function addReference(router: Router<Handler>): void {
  router.add('GET', '/docs', () =>
    existsSync(script_file) ? ownReply(html, page) : { ...ownReply(html, unbuilt_page), status: 503 },
  )
  router.add('GET', '/docs/start.js', () => ownReply(javascript, start))
  addCompressed(router, '/docs/scalar.js', javascript, 'max-age=86400', () => readFile(script_file))
  addCompressed(router, '/docs/reference.json', json, 'no-cache', async () => compress(await makeReferenceDocument()))
  addCompressed(router, '/docs/webhook-vectors.json', json, 'no-cache', async () =>
    compress(await readFile(projectFile('docs/guides/webhook-vectors.json'))),
  )
}

/** Adds a file that is made on the first request and kept compressed. */
function addCompressed(
  router: Router<Handler>,
  path: string,
  type: string,
  caching: string,
  make: () => Promise<Buffer>,
): void {
  const compressed = once(make)
  router.add('GET', path, async ({ headers }) => {
    const bytes = await compressed()
    const more = { 'Cache-Control': caching, Vary: 'Accept-Encoding' }
    if (chooseCoding(String(headers['accept-encoding'] ?? ''), ['gzip']) === null)
      return ownReply(type, gunzipSync(bytes), more)
    return ownReply(type, bytes, { ...more, 'Content-Encoding': 'gzip' })
  })
}

function ownReply(type: string, body: string | Buffer, more: Readonly<Record<string, string>> = {}): Reply {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...more,
  }
  return { status: 200, headers, body }
}

const compress = promisify(gzip)

/** The document that the page renders, as JSON. */
export async function makeReferenceDocument(): Promise<string> {
  const document = JSON.parse(await readFile(projectFile('docs/openapi.json'), 'utf8')) as JsonObject
  const readings = {
    guides: await readPages(guides),
    manuals: await readPages(manuals),
    errors: errorSections(catalogue),
  }
  return JSON.stringify(referenceDocument(document, readings))
}

function readPages(readings: readonly Reading[]): Promise<ReadPage[]> {
  return Promise.all(
    readings.map(async (reading) => ({ ...reading, text: await readFile(projectFile(reading.path), 'utf8') })),
  )
}
