/**
 * The HTTP server: routes from the catalogue, one listener, an orderly end. It knows how requests arrive and nothing of
 * what they mean. What Node's parser refuses is answered in the same envelope as everything else.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { errorBody, refuse } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import { answer, refuseUnrouted } from '../api/pipeline.ts'
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { newest_version } from '../api/version.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { webConsole } from './console.ts'
import { downloads } from './downloads.ts'
import { respond, send, toRequest } from './exchange.ts'
import { health } from './health.ts'
import { mcp } from './mcp.ts'
import { metrics } from './metrics.ts'
import { openApi } from './openapi.ts'
import { reference } from './reference.ts'
import { Routes } from './routes.ts'

/** The rules check what comes in; Fastify's own compilers of schemas are a hundred modules that nothing would use. */
const no_schemas: FastifyServerOptions['schemaController'] = {
  compilersFactory: { buildValidator: (() => () => () => true) as never, buildSerializer: () => () => JSON.stringify },
}

/** The server for a catalogue, not yet listening. */
export function createServer(services: Services, catalogue: readonly Operation[]): FastifyInstance {
  const routes = new Routes(catalogue)
  let isClosing = false
  /** Operations are served without Fastify where their path is plain and nothing else is out of the ordinary. */
  const shortCut =
    (other: Handler): Handler =>
    (raw, response) => {
      const route = isClosing ? null : routes.find(raw.method ?? '', raw.url ?? '')
      if (route === null || faultyHeaders(raw) !== null) return other(raw, response)
      void serve(services, route.operation, route.params, raw).then((made) => {
        count(made.status)
        respond(raw, response, made)
      })
    }
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    schemaController: no_schemas,
    bodyLimit: limits.body_bytes_max,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory: (handler) => listener(shortCut(handler)),
    routerOptions: { maxParamLength: limits.url_bytes_max, ignoreTrailingSlash: false, caseSensitive: true },
    clientErrorHandler: (error, socket) => refuseUnreadable(services, error, socket),
    frameworkErrors: (_error, request, reply) => notFound(services, catalogue, request, reply as FastifyReply),
  })
  // Fastify would refuse some bodies and their types by itself. Answering in onRequest leaves them to the rules.
  app.addHook('onRequest', async (request, reply) => {
    const message = faultyHeaders(request.raw)
    if (message !== null) {
      const refusal = refuse('invalid_request_body', { message, headers: { Connection: 'close' } })
      send(reply, refuseUnrouted(services, toRequest(request.raw, services.clock.now()), refusal))
      return reply
    }
    // A slash at the end of a path would leave the id of its last place empty.
    const path = request.raw.url?.split('?', 1)[0]
    if (request.is404 || (path !== '/' && path?.endsWith('/'))) return notFound(services, catalogue, request, reply)
  })
  // Node would answer an expectation that it does not know with 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('preClose', async () => {
    isClosing = true
  })
  for (const operation of catalogue) route(app, services, operation)
  health(app, services)
  const count = metrics(app, services, (request, reply) => notFound(services, catalogue, request, reply))
  downloads(app, services)
  openApi(app, services.clock)
  reference(app)
  mcp(app, services)
  webConsole(app, services, (request, reply) => notFound(services, catalogue, request, reply))
  app.setErrorHandler((error, request, reply) => {
    services.log.error('the server failed', { error: error instanceof Error ? error.stack : String(error) })
    const taken = toRequest(request.raw, services.clock.now())
    send(reply, refuseUnrouted(services, taken, refuse('internal_error')))
  })
  return app
}

function route(app: FastifyInstance, services: Services, operation: Operation): void {
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      send(reply, await serve(services, operation, request.params as Record<string, string>, request.raw))
      return reply
    },
    handler: (_request, reply) => reply,
  })
}

type Handler = (raw: IncomingMessage, response: ServerResponse) => void

/** The listener with its limits. Node answers a missing Host by itself, without the envelope; `faultyHeaders` finds it. */
function listener(handler: Handler): Server {
  const server = createHttpServer(
    {
      maxHeaderSize: limits.header_bytes_max,
      headersTimeout: limits.request_headers_ms,
      requestTimeout: limits.request_ms,
      keepAliveTimeout: limits.keep_alive_ms,
      requireHostHeader: false,
    },
    handler,
  )
  server.setTimeout(0)
  return server
}

/** The answer to a request for an operation. */
function serve(
  services: Services,
  operation: Operation,
  params: Readonly<Record<string, string>>,
  raw: IncomingMessage,
): Promise<Answer> {
  const taken = toRequest(raw, services.clock.now())
  const refused = longUrl(services, taken)
  return refused === null ? answer(services, operation, taken, params) : Promise.resolve(refused)
}

/**
 * What is wrong with the headers, if anything. HTTP/1.1 needs `Host` exactly once (RFC 9112 §3.2); all are counted as
 * they were sent: Node's own limit leaves out what stands between names and values.
 */
function faultyHeaders({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    bytes += name.length + (rawHeaders[i + 1] as string).length + 4
  }
  if (hosts !== 1 && (hosts > 1 || httpVersion === '1.1')) return 'One Host header is needed.'
  return bytes > limits.header_bytes_max ? `The headers are over the limit of ${limits.header_bytes_max} bytes.` : null
}

function longUrl(services: Services, request: Request): Answer | null {
  const { path, rawQuery } = request
  if (path.length + rawQuery.length + (rawQuery === '' ? 0 : 1) <= limits.url_bytes_max) return null
  const refusal = refuse('invalid_query_parameter', { message: `The URL is over ${limits.url_bytes_max} bytes.` })
  return refuseUnrouted(services, request, refusal)
}

/** 404 for an unknown path, and for a known one with another method, which `Allow` names. */
function notFound(
  services: Services,
  catalogue: readonly Operation[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const taken = toRequest(request.raw, services.clock.now())
  const segments = taken.path.split('/')
  const allowed = catalogue
    .filter((operation) => matches(operation.path.split('/'), segments))
    .map((operation) => operation.method)
  const headers: Record<string, string> = allowed.length === 0 ? {} : { Allow: [...new Set(allowed)].join(', ') }
  const message =
    allowed.length === 0 ? 'There is nothing at this path.' : `${taken.method} is not a method of this path.`
  const refusal = refuse('resource_not_found', { message, headers })
  send(reply, longUrl(services, taken) ?? refuseUnrouted(services, taken, refusal))
  return reply
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  )
}

/** A request that Node's parser gave up on: no route, no credential, only the envelope. */
function refuseUnreadable(services: Services, error: Error & { code?: string }, socket: Socket): void {
  // Browsers open connections ahead: an answer on one that was never used they would take for that to their first request.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  if (error.code === 'ECONNRESET' || isUnused || !socket.writable) {
    socket.destroy()
    return
  }
  const id = newId('req', services.clock.now())
  const message = unreadable[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const body = errorBody(refuse('invalid_request_body', { message }), id)
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${id}\r\nCache-Control: private, no-store\r\nVary: Authorization, Service-Version\r\n` +
      `Service-Version: ${newest_version}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers are over the limit of ${limits.header_bytes_max} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}
