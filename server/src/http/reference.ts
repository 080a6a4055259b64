/**
 * `GET /docs`: the reference, drawn by Scalar in the browser from the OpenAPI document with guides, manuals and errors in it.
 * Everything comes from here: the policy lets the page ask nobody else, so that it works without the internet and no key
 * typed into it can leave. Scalar's script stands inside its package's Fastify plugin; it is taken out when the first
 * asks, and kept compressed, as the document is.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { catalogue } from '../catalogue.ts'
import { errorSections } from '../derive/errors-page.ts'
import { guides, manuals, type Reading } from '../derive/guides.ts'
import { requestHeaders } from '../derive/openapi/headers.ts'
import type { JsonObject } from '../derive/openapi/json.ts'
import { type ReadPage, referenceDocument } from '../derive/reference-document.ts'
import { projectFile } from '../lib/project-file.ts'

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
<noscript>The document itself: <a href="/v1/openapi.json">/v1/openapi.json</a></noscript>
<script src="/docs/start.js"></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`

// Scalar cuts what it takes for a remark on a group of operations, and leaves half the page to their samples.
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

// The library that checks the document tries whether it may make code of texts, which the policy refuses.
// Who tries a write twice with the example's key would be answered from the first time.
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

type Make = () => Promise<Buffer>

export function reference(app: FastifyInstance): void {
  app.get('/docs', (_request, reply) => own(reply, 'text/html; charset=utf-8').send(page))
  app.get('/docs/start.js', (_request, reply) => own(reply, 'text/javascript; charset=utf-8').send(start))
  serve(app, '/docs/scalar.js', 'text/javascript; charset=utf-8', 'max-age=86400', takeScript)
  serve(app, '/docs/reference.json', 'application/json; charset=utf-8', 'no-cache', makeDocument)
  serve(app, '/docs/webhook-vectors.json', 'application/json; charset=utf-8', 'no-cache', () =>
    readFile(projectFile('docs/guides/webhook-vectors.json')),
  )
}

/** Serves what is made once, when the first asks, and kept compressed. */
function serve(app: FastifyInstance, path: string, type: string, caching: string, make: Make): void {
  let making: Promise<Buffer> | null = null
  app.get(path, async (request, reply) => {
    making ??= make().then((made) => promisify(gzip)(made))
    const compressed = await making.catch((error: unknown) => {
      making = null
      throw error
    })
    own(reply, type).headers({ 'Cache-Control': caching, Vary: 'Accept-Encoding' })
    if (!takesGzip(request)) return reply.send(gunzipSync(compressed))
    return reply.header('Content-Encoding', 'gzip').send(compressed)
  })
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''))
}

async function makeDocument(): Promise<Buffer> {
  const document = JSON.parse(await readFile(projectFile('docs/openapi.json'), 'utf8')) as JsonObject
  const readings = { guides: await read(guides), manuals: await read(manuals), errors: errorSections(catalogue) }
  return Buffer.from(JSON.stringify(referenceDocument(document, readings)))
}

function read(readings: readonly Reading[]): Promise<ReadPage[]> {
  return Promise.all(
    readings.map(async (reading) => ({ ...reading, text: await readFile(projectFile(reading.path), 'utf8') })),
  )
}

function own(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(type).headers({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
}

async function takeScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inside = Fastify({ logger: false })
  try {
    await inside.register(scalar, { routePrefix: '/', configuration: { url: settings.url } })
    const { rawPayload } = await inside.inject('/js/scalar.js')
    return rawPayload
  } finally {
    await inside.close()
  }
}
