/**
 * One HTTP exchange: Node's request becomes a `Request` of the rules, a reply becomes bytes. The body is read only when a
 * rule asks for it, so that a caller without write access is refused before it sends much.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { refuse } from '../api/declare/errors.ts'
import type { Answer, OpenStream, Request } from '../api/declare/request.ts'
import { limits } from '../api/limits.ts'
import { newId } from '../lib/ids.ts'
import { http_limits } from './limits.ts'

/** A request whose reader may set another limit for the body. */
export interface IncomingRequest extends Request {
  readonly headers: IncomingHttpHeaders
  body(bytes_max?: number): Promise<Buffer>
}

/** An answer of the rules, or one whose body is bytes or is written piece by piece. */
export interface Reply extends Omit<Answer, 'body'> {
  readonly body: string | Buffer | null
  /** Instead of a body: writes to the response and ends it. */
  readonly write?: (response: ServerResponse) => void
}

/** Serves the requests of a route. `params` are the decoded parameters of its path. */
export type Handler = (request: IncomingRequest, params: Readonly<Record<string, string>>) => Reply | Promise<Reply>

const no_bytes = Buffer.alloc(0)

export function toRequest(raw: IncomingMessage, now: number): IncomingRequest {
  const url = originForm(raw.url ?? '/')
  const question = url.indexOf('?')
  let body: Promise<Buffer> | null = null
  return {
    id: newId('req', now),
    // HEAD is GET with an answer that ends after its headers (RFC 9110 §9.3.2).
    method: raw.method === 'HEAD' ? 'GET' : (raw.method ?? 'GET'),
    path: question < 0 ? url : url.slice(0, question),
    rawQuery: question < 0 ? '' : url.slice(question + 1),
    headers: raw.headers,
    headerValues: (name) => headerValues(raw.rawHeaders, name),
    body(bytes_max = limits.body_bytes_max) {
      body ??= readBytes(raw, bytes_max)
      return body
    },
    ip: raw.socket.remoteAddress ?? '',
    receivedAt: now,
  }
}

/** Every value of a header, as sent. Node's own `headersDistinct` collects all headers at once. */
function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] as string
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] as string)
  }
  return values
}

/** A request target without scheme and host, which a client of a proxy sends (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

/** The whole body. One that is over the limit, by its header or by its bytes, is refused without reading the rest. */
function readBytes(raw: IncomingMessage, bytes_max: number): Promise<Buffer> {
  const length = raw.headers['content-length']
  if (length === '0' || (length === undefined && raw.headers['transfer-encoding'] === undefined)) {
    return Promise.resolve(no_bytes)
  }
  const tooLarge = () =>
    refuse('invalid_request_body', { message: `The body is over the limit of ${bytes_max} bytes.` })
  if (Number(length) > bytes_max) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytes_max) {
        raw.pause()
        raw.removeAllListeners('data')
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    let isComplete = false
    raw.on('end', () => {
      isComplete = true
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    })
    const rejectIncomplete = (): void => {
      if (!isComplete) reject(refuse('invalid_request_body', { message: 'The body did not arrive whole.' }))
    }
    raw.on('error', rejectIncomplete)
    raw.on('close', rejectIncomplete)
  })
}

/** Sends a reply. If a large request body is unread, the connection is closed and not reused. */
export function respond(raw: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const isUnread = raw.method !== 'GET' && !raw.complete
  const isLarge =
    isUnread &&
    (Number(raw.headers['content-length'] ?? 0) > http_limits.body_bytes_drain_max ||
      raw.headers['transfer-encoding'] !== undefined)
  if (isLarge) reply.headers.Connection = 'close'
  if (isUnread) raw.resume()
  const isWritten = reply.stream !== undefined || reply.write !== undefined
  if (raw.method === 'HEAD' && isWritten) response.writeHead(reply.status, reply.headers).end()
  else if (reply.stream !== undefined) openStream(response, reply, reply.stream)
  else if (reply.write !== undefined) reply.write(response.writeHead(reply.status, reply.headers))
  else if (outgoing.push({ response, reply, unread: isLarge ? raw : null }) === 1) setImmediate(sendAll)
}

interface Outgoing {
  readonly response: ServerResponse
  readonly reply: Reply
  /** The request, if its connection is to be closed before its body has arrived. */
  readonly unread: IncomingMessage | null
}

let outgoing: Outgoing[] = []

/**
 * Sends the replies of one turn of the event loop together. Each send wakes the receiving process, which on many machines
 * costs more than the request did; a busy server wakes it once for many replies.
 */
function sendAll(): void {
  const ready = outgoing
  outgoing = []
  for (const { response, reply, unread } of ready) {
    const { status, headers, body } = reply
    if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body))
    else if (status !== 304) headers['Content-Length'] = '0'
    try {
      response.writeHead(status, headers)
      if (unread === null) response.end(body ?? undefined)
      else sendAhead(unread, response, body)
    } catch {
      // An invalid header must not hold back the other replies.
      response.destroy()
    }
  }
}

/**
 * Sends a reply before the request's body has arrived, then discards what still arrives until the client has sent all of
 * it or a limit is reached. Closing a connection with unread bytes resets it, and the client may lose the reply
 * (RFC 9112 §9.6).
 */
function sendAhead(raw: IncomingMessage, response: ServerResponse, body: string | Buffer | null): void {
  response.flushHeaders()
  if (body !== null) response.write(body)
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, http_limits.body_linger_ms)
  if (raw.complete || raw.destroyed) {
    end()
    return
  }
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > http_limits.body_bytes_linger_max) end()
  })
  raw.once('end', end)
  raw.once('close', end)
}

/** Gives the connection to a stream, which writes until one side ends it. */
function openStream(response: ServerResponse, reply: Reply, stream: OpenStream): void {
  response.on('error', () => {})
  response.writeHead(reply.status, reply.headers)
  stream.open({
    write: (text) => void response.write(text),
    pending: () => response.writableLength + (response.socket?.writableLength ?? 0),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
    onClose: (listener) => void response.on('close', listener),
  })
}
