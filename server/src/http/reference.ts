/**
 * `GET /docs`: the reference, drawn by Scalar from `/v1/openapi.json` in the browser. Everything comes from here: the policy
 * lets the page ask nobody else, so that it works without the internet and no key typed into it can leave. Scalar's
 * script stands inside its package's Fastify plugin; it is taken out when the first asks, and kept compressed.
 */
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { requestHeaders } from '../derive/openapi/headers.ts'

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
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const settings = {
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

// Who tries a write twice with the example's key would be answered from the first time.
const start = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(settings)},
  servers: [{ url: location.origin }],
  onRequestBuilt: ({ request }) => {
    if (request.headers.get('Idempotency-Key') !== '${requestHeaders.IdempotencyKey.example}') return
    const random = crypto.getRandomValues(new Uint32Array(4))
    request.headers.set('Idempotency-Key', Array.from(random, (n) => n.toString(36)).join('-'))
  },
})
`

export function reference(app: FastifyInstance): void {
  let script: Promise<Buffer> | null = null
  app.get('/docs', (_request, reply) => own(reply, 'text/html; charset=utf-8').send(page))
  app.get('/docs/start.js', (_request, reply) => own(reply, 'text/javascript; charset=utf-8').send(start))
  app.get('/docs/scalar.js', async (request, reply) => {
    script ??= takeScript()
    const compressed = await script
    own(reply, 'text/javascript; charset=utf-8').headers({ 'Cache-Control': 'max-age=86400', Vary: 'Accept-Encoding' })
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''))
    return takesGzip ? reply.header('Content-Encoding', 'gzip').send(compressed) : reply.send(gunzipSync(compressed))
  })
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
    return await promisify(gzip)(rawPayload)
  } finally {
    await inside.close()
  }
}
