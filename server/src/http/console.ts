/**
 * The web console: its page, the files that the page is made of, and `/app/api`. Everything is served from memory, as it
 * was compressed when it was built; the policy lets the page ask nobody but this server. Whoever asks for a page's path
 * without taking HTML gets what any unknown path gets.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../api/services.ts'
import { answerConsole, bodyLimitOf } from '../console/answer.ts'
import { ContentPolicyReports } from '../console/csp-reports.ts'
import { limits } from '../lib/limits.ts'
import { type ConsoleFile, ConsoleFiles, unbuilt_page } from './console-files.ts'
import { send, toRequest } from './exchange.ts'

const pages = ['/', '/sign-in', '/set-up', '/invite', '/operator']
const areas = ['/work', '/boards', '/automations', '/money', '/developers', '/settings', '/open']

const report_path = '/app/api/csp-report'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  `report-uri ${report_path}`,
  'report-to csp',
].join('; ')

const page_headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy,
  'Reporting-Endpoints': `csp="${report_path}"`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)',
}

type Refuse = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** `refuse` answers what is neither a page nor a file. */
export function webConsole(app: FastifyInstance, services: Services, refuse: Refuse): void {
  const files = new ConsoleFiles()
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!/\btext\/html\b/i.test(String(request.headers.accept ?? ''))) return refuse(request, reply)
    const found = await files.find('/index.html')
    if (found === null) return reply.code(503).headers(page_headers).type('text/html; charset=utf-8').send(unbuilt_page)
    return sendFile(request, reply.headers(page_headers), found)
  }
  for (const path of [...pages, ...areas, ...areas.map((area) => `${area}/*`)]) app.get(path, page)
  const file = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await files.find(request.raw.url?.split('?', 1)[0] ?? '')
    if (found === null) return refuse(request, reply)
    const headers = {
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      ETag: found.etag,
    }
    reply.headers({ ...headers, 'Cache-Control': found.immutable ? 'public, max-age=31536000, immutable' : 'no-cache' })
    if (request.headers['if-none-match'] === found.etag) return reply.code(304).send()
    return sendFile(request, reply, found)
  }
  app.get('/assets/*', file)
  app.get('/:file', file)
  api(app, services)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const [coding, bytes] = file.encoded(String(request.headers['accept-encoding'] ?? ''))
  if (coding !== null) reply.header('Content-Encoding', coding)
  return reply.header('Vary', 'Accept, Accept-Encoding').type(file.type).send(bytes)
}

function api(app: FastifyInstance, services: Services): void {
  const reports = new ContentPolicyReports(services)
  app.route({
    method: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    url: '/app/api/*',
    onRequest: async (request, reply) => {
      const { raw } = request
      const now = services.clock.now()
      const path = raw.url?.split('?', 1)[0] ?? ''
      const isReport = raw.method === 'POST' && path === report_path
      const bytes_max = isReport ? limits.csp_report_bytes_max : bodyLimitOf(raw.method ?? '', path)
      const taken = toRequest(raw, now, bytes_max)
      send(reply, isReport ? await reports.take(taken) : await answerConsole(services, taken))
      return reply
    },
    handler: (_request, reply) => reply,
  })
}
