/**
 * The web console: its page, the page's files, and `/app/api`. Files are served from memory as the build compressed them.
 * The content security policy lets the page contact this server only. A request for a page's path that does not accept
 * HTML is answered like one for an unknown path.
 */
import type { Services } from '../api/services.ts'
import { answerConsole, bodyLimitOf } from '../console/answer.ts'
import { ContentPolicyReports } from '../console/csp-reports.ts'
import { type ConsoleFile, ConsoleFiles, unbuilt_page } from './console-files.ts'
import type { Handler, IncomingRequest, Reply } from './exchange.ts'
import { http_limits } from './limits.ts'
import type { Router } from './router.ts'

const pages = [
  '/',
  '/sign-in',
  '/set-up',
  '/invite',
  '/forgot-password',
  '/reset-password',
  '/confirm-address',
  '/operator',
  '/b',
  '/oauth/authorize',
]
const areas = [
  '/my-work',
  '/inbox',
  '/work',
  '/boards',
  '/automations',
  '/money',
  '/developers',
  '/settings',
  '/search',
  '/open',
]

const report_path = '/app/api/csp-report'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
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

/** A worker has the policy of its own file. */
const worker_files = /^\/(?:service-worker|assets\/pdf\.worker[\w.-]*)\.js$/
const worker_policy = "default-src 'none'; connect-src 'self'"

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

/** Adds the console's routes. `refuse` answers a request for a path that is neither a page nor a file. */
export function addConsole(router: Router<Handler>, services: Services, refuse: Handler): void {
  const files = new ConsoleFiles()
  const page: Handler = async (request, params) => {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return refuse(request, params)
    const index = await files.find('/index.html')
    if (index !== null) return fileReply(request, index, page_headers)
    const headers = { ...page_headers, 'Content-Type': 'text/html; charset=utf-8' }
    return { status: 503, headers, body: unbuilt_page }
  }
  for (const path of [...pages, '/sign-in/return/{provider}', ...areas, ...areas.map((area) => `${area}/*`)])
    router.add('GET', path, page)
  const file: Handler = async (request, params) => {
    const found = await files.find(request.path)
    if (found === null) return refuse(request, params)
    const headers = {
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      ETag: found.etag,
      'Cache-Control': found.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(worker_files.test(request.path) ? { 'Content-Security-Policy': worker_policy } : {}),
    }
    if (request.headers['if-none-match'] === found.etag) return { status: 304, headers, body: null }
    return fileReply(request, found, headers)
  }
  router.add('GET', '/assets/*', file)
  router.add('GET', '/{file}', file)
  addConsoleApi(router, services)
}

async function fileReply(
  request: IncomingRequest,
  file: ConsoleFile,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const [coding, bytes] = await file.encoded(String(request.headers['accept-encoding'] ?? ''))
  const encoding: Record<string, string> = coding === null ? {} : { 'Content-Encoding': coding }
  const all = { ...headers, ...encoding, Vary: 'Accept, Accept-Encoding', 'Content-Type': file.type }
  return { status: 200, headers: all, body: bytes }
}

function addConsoleApi(router: Router<Handler>, services: Services): void {
  const reports = new ContentPolicyReports(services)
  const handler: Handler = async (request) => {
    const { method, path } = request
    if (method === 'POST' && path === report_path) {
      return await reports.receive(limitBody(request, http_limits.csp_report_bytes_max))
    }
    return await answerConsole(services, limitBody(request, bodyLimitOf(method, path)))
  }
  for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']) router.add(method, '/app/api/*', handler)
}

function limitBody(request: IncomingRequest, bytes_max: number): IncomingRequest {
  return { ...request, body: () => request.body(bytes_max) }
}
