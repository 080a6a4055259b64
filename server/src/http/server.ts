/**
 * The HTTP server: routes from the catalogue, one listener, an orderly end. It knows how requests arrive and nothing of
 * what they mean. What Node's parser refuses is answered in the same envelope as everything else.
 */
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { errorBody, refuse } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import { answer, refuseUnrouted } from '../api/pipeline.ts'
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { newest_version } from '../api/version.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { downloads } from './downloads.ts'
import { send, toRequest } from './exchange.ts'
import { health } from './health.ts'
import { metrics } from './metrics.ts'
import { openApi } from './openapi.ts'
import { reference } from './reference.ts'

/** The server for a catalogue, not yet listening. */
export function createServer(services: Services, catalogue: readonly Operation[]): FastifyInstance {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: limits.body_bytes_max,
    requestTimeout: limits.request_ms,
    connectionTimeout: 0,
    keepAliveTimeout: limits.keep_alive_ms,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Node answers a missing Host by itself, without the envelope; `hasWrongHost` does it here.
    http: {
      maxHeaderSize: limits.header_bytes_max,
      headersTimeout: limits.request_headers_ms,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: limits.url_bytes_max, ignoreTrailingSlash: false, caseSensitive: true },
    clientErrorHandler: (error, socket) => refuseUnreadable(services, error, socket),
    frameworkErrors: (_error, request, reply) => notFound(services, catalogue, request, reply as FastifyReply),
  })
  // Fastify would refuse some bodies and their types by itself. Answering in onRequest leaves them to the rules.
  app.addHook('onRequest', async (request, reply) => {
    if (hasWrongHost(request)) {
      const refusal = refuse('invalid_request_body', { message: 'One Host header is needed.', headers: closing })
      send(reply, refuseUnrouted(services, toRequest(request.raw, services.clock.now()), refusal))
      return reply
    }
    if (headerBytes(request) > limits.header_bytes_max) {
      const message = `The headers are over the limit of ${limits.header_bytes_max} bytes.`
      const refusal = refuse('invalid_request_body', { message, headers: closing })
      send(reply, refuseUnrouted(services, toRequest(request.raw, services.clock.now()), refusal))
      return reply
    }
    // A slash at the end of a path would leave the id of its last place empty.
    if (request.is404 || request.raw.url?.split('?', 1)[0]?.endsWith('/'))
      return notFound(services, catalogue, request, reply)
  })
  // Node would answer an expectation that it does not know with 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  for (const operation of catalogue) route(app, services, operation)
  health(app, services)
  metrics(app, services, (request, reply) => notFound(services, catalogue, request, reply))
  downloads(app, services)
  openApi(app, services.clock)
  reference(app)
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
      const taken = toRequest(request.raw, services.clock.now())
      const { params } = request
      send(
        reply,
        longUrl(services, taken) ?? (await answer(services, operation, taken, params as Record<string, string>)),
      )
      return reply
    },
    handler: (_request, reply) => reply,
  })
}

const closing = { Connection: 'close' }

/** HTTP/1.1 needs the header exactly once (RFC 9112 §3.2). */
function hasWrongHost({ raw }: FastifyRequest): boolean {
  const { rawHeaders } = raw
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts !== 1 && (hosts > 1 || raw.httpVersion === '1.1')
}

/** The headers as they were sent; Node's own limit leaves out what stands between names and values. */
function headerBytes({ raw }: FastifyRequest): number {
  const { rawHeaders } = raw
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i++) bytes += (rawHeaders[i] as string).length + 2
  return bytes
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
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
