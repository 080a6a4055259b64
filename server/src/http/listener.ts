/**
 * The HTTP listener: its limits, and the requests that are refused before a route is sought. All of them are answered in
 * the same envelope as every other refusal (contract/02#malformed-http).
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody, refuse } from '../api/declare/errors.ts'
import { newest_version } from '../api/declare/version.ts'
import { limits } from '../api/limits.ts'
import type { Services } from '../api/services.ts'
import { newId } from '../lib/ids.ts'
import { late_message } from './exchange.ts'
import type { HttpLimits } from './limits.ts'
import { isUpgrade } from './sockets.ts'

/** The listener with its limits. `faultyHeaders` checks `Host`, because Node would answer without the envelope. */
export function createListener(services: Services, http: HttpLimits, listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.header_bytes_max,
      headersTimeout: http.request_headers_ms,
      requestTimeout: http.upload_ms,
      keepAliveTimeout: http.keep_alive_ms,
      connectionsCheckingInterval: http.expiry_check_ms,
      requireHostHeader: false,
      shouldUpgradeCallback: isUpgrade,
    },
    listener,
  )
  server.setTimeout(0)
  server.maxConnections = http.connections_max
  // Node has closed the new connection. Idle ones make room for the next.
  server.on('drop', () => server.closeIdleConnections())
  // Node would answer an unknown expectation with 417.
  server.on('checkExpectation', listener)
  server.on('clientError', (error, socket) => refuseUnreadable(services, error, socket as Socket))
  return server
}

/**
 * The fault of the headers, if there is one. HTTP/1.1 needs exactly one `Host` (RFC 9112 §3.2). A second `Authorization`
 * is refused because a proxy may have checked the other one. The size counts the separators between names and values,
 * which Node's own limit leaves out.
 */
export function faultyHeaders({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0
  let credentials = 0
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials++
    bytes += name.length + (rawHeaders[i + 1] as string).length + 4
  }
  if (hosts > 1) return `The request has ${hosts} Host headers. Send exactly one.`
  if (hosts === 0 && httpVersion === '1.1') return 'The request has no Host header. Send exactly one.'
  if (credentials > 1) return `The request has ${credentials} Authorization headers. Send exactly one.`
  return bytes > limits.header_bytes_max ? oversized_headers : null
}

/** Answers a request that Node's parser refused: no route, no credential, only the envelope. */
function refuseUnreadable(services: Services, error: Error & { code?: string }, socket: Socket): void {
  // Browsers open spare connections. They would take an answer on an unused one for the answer to their next request.
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

/** Ends a request whose body does not arrive in time, as Node's parser ends one whose headers do not. */
export function refuseLate(services: Services, { socket }: IncomingMessage): void {
  refuseUnreadable(services, Object.assign(new Error(late_message), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
}

const oversized_headers = `The headers are over the limit of ${limits.header_bytes_max} bytes.`

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: oversized_headers,
  ERR_HTTP_REQUEST_TIMEOUT: late_message,
}
