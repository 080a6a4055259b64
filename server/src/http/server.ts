/**
 * The HTTP server: one listener, one router, an orderly close. It knows how requests arrive and nothing about their
 * meaning.
 */
import type { IncomingMessage, Server } from 'node:http'
import { refuse } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import type { Answer, Request } from '../api/declare/request.ts'
import { limits } from '../api/limits.ts'
import { answer, refuseUnrouted } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import type { MaybePromise } from '../db/query.ts'
import { AddressRanges } from '../lib/address-ranges.ts'
import { addConsole } from './console.ts'
import { encodeReply } from './content-coding.ts'
import { addDocsPages } from './docs-pages.ts'
import { addDownloads } from './downloads.ts'
import { type Handler, type IncomingRequest, type Reply, respond, toRequest } from './exchange.ts'
import { addFileContent } from './file-content.ts'
import { addForms } from './forms/routes.ts'
import { addHealth } from './health.ts'
import { addHooks } from './hooks.ts'
import { type HttpLimits, http_limits } from './limits.ts'
import { createListener, faultyHeaders, refuseLate } from './listener.ts'
import { addMcp } from './mcp.ts'
import { Metrics } from './metrics.ts'
import { addOauth } from './oauth.ts'
import { addOpenApi } from './openapi.ts'
import { addReference } from './reference.ts'
import { brokenEscape, Router } from './router.ts'
import { addScim } from './scim.ts'
import { addSockets } from './sockets.ts'
import { addUnsubscribe } from './unsubscribe.ts'

export interface HttpServer {
  readonly server: Server
  listen(host: string, port: number): Promise<void>
  /** Accepts no more connections and resolves when the open ones have ended. */
  close(): Promise<void>
}

/** The server of a catalogue, not yet listening. */
export function createServer(
  services: Services,
  catalogue: readonly Operation[],
  http: HttpLimits = http_limits,
): HttpServer {
  const metrics = new Metrics(services)
  const router = createRouter(services, catalogue, metrics)
  const { trustedProxies } = services.settings
  const proxies = trustedProxies.length === 0 ? null : new AddressRanges(trustedProxies)
  let isClosing = false
  const server = createListener(services, http, (raw, response) => {
    const request = toRequest(raw, services.clock.now(), http, (late) => refuseLate(services, late), proxies)
    void handle(services, catalogue, router, raw, request).then((reply) => {
      metrics.count(reply.status)
      if (isClosing) reply.headers.Connection = 'close'
      respond(raw, response, reply)
    })
  })
  const sockets = addSockets(server, services)
  return {
    server,
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, () => {
          server.off('error', reject)
          resolve()
        })
      }),
    close: () => {
      isClosing = true
      metrics.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      return sockets.close().then(() => closed)
    },
  }
}

function createRouter(services: Services, catalogue: readonly Operation[], metrics: Metrics): Router<Handler> {
  const router = new Router<Handler>()
  const refuseUnknown: Handler = (request) => notFound(services, catalogue, request)
  for (const operation of catalogue) {
    router.add(operation.method, operation.path, (request, params) => {
      const answering = refuseLongUrl(services, request) ?? answer(services, operation, request, params)
      const accepted = request.headers['accept-encoding']
      return accepted === undefined ? answering : encodeReply(answering, String(accepted))
    })
  }
  addHealth(router, services)
  metrics.addTo(router, refuseUnknown)
  addDownloads(router, services)
  addFileContent(router, services)
  addUnsubscribe(router, services)
  addHooks(router, services)
  addForms(router, services)
  addOpenApi(router)
  addReference(router)
  addDocsPages(router, refuseUnknown)
  addMcp(router, services)
  addOauth(router, services)
  addScim(router, services)
  addConsole(router, services, refuseUnknown)
  return router
}

/** The reply to a request. Never rejects. */
async function handle(
  services: Services,
  catalogue: readonly Operation[],
  router: Router<Handler>,
  raw: IncomingMessage,
  request: IncomingRequest,
): Promise<Reply> {
  try {
    const message = faultyHeaders(raw)
    if (message !== null) {
      const refusal = refuse('invalid_request_body', { message, headers: { Connection: 'close' } })
      return refuseUnrouted(services, request, refusal)
    }
    const route = router.find(request.method, request.path)
    return route === null ? notFound(services, catalogue, request) : await route.value(request, route.params)
  } catch (error) {
    services.log.error('the server failed', { error: error instanceof Error ? error.stack : String(error) })
    return refuseUnrouted(services, request, refuse('internal_error'))
  }
}

function refuseLongUrl(services: Services, request: Request): MaybePromise<Answer> | null {
  const { path, rawQuery } = request
  if (path.length + rawQuery.length + (rawQuery === '' ? 0 : 1) <= limits.url_bytes_max) return null
  const message = `The URL is over the limit of ${limits.url_bytes_max} bytes.`
  return refuseUnrouted(services, request, refuse('invalid_query_parameter', { message }))
}

/**
 * 404 for an unknown path, and for a known path with another method, where `Allow` lists the methods of the path
 * (contract/02#unknown-routes-and-methods).
 */
function notFound(services: Services, catalogue: readonly Operation[], request: Request): MaybePromise<Answer> {
  const broken = brokenEscape(request.path)
  const allowed = broken === null ? methodsOf(catalogue, request.path) : []
  const headers: Record<string, string> = allowed.length === 0 ? {} : { Allow: allowed.join(', ') }
  let message = 'There is nothing at this path.'
  if (broken !== null) {
    message = `The path holds "${broken}", which is not percent-encoded UTF-8. Write a literal percent sign as %25.`
  } else if (allowed.length > 0) {
    message = `This path does not support ${request.method}. Use ${allowed.join(' or ')}.`
  }
  const refusal = refuse('resource_not_found', { message, headers })
  return refuseLongUrl(services, request) ?? refuseUnrouted(services, request, refusal)
}

function methodsOf(catalogue: readonly Operation[], path: string): string[] {
  const segments = path.split('/')
  const fitting = catalogue.filter((operation) => matches(operation.path.split('/'), segments))
  return [...new Set(fitting.map((operation) => operation.method))]
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  )
}
