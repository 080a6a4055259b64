/**
 * One HTTP exchange: Node's request becomes a `Request` of the rules, a reply becomes bytes. The body is read only when a
 * rule asks for it, so that a caller without write access is refused before it sends much.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { refuse } from '../api/declare/errors.ts'
import { type Answer, type OpenStream, overLimit, type Request } from '../api/declare/request.ts'
import { limits } from '../api/limits.ts'
import type { AddressRanges } from '../lib/address-ranges.ts'
import { newId } from '../lib/ids.ts'
import { clientAddress } from './forwarded.ts'
import { type HttpLimits, http_limits } from './limits.ts'

/** A request whose reader may set another limit for the body. */
export interface IncomingRequest extends Request {
  readonly headers: IncomingHttpHeaders
  body(bytes_max?: number): Promise<Buffer>
}

/** An answer of the rules, or one whose body is bytes or is written piece by piece. */
export interface Reply extends Omit<Answer, 'body'> {
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  readonly body: string | Buffer | null
  /** Instead of a body: writes to the response and ends it. */
  readonly write?: (response: ServerResponse) => void
  /** In place of `write` when only the headers are sent. */
  readonly discard?: () => void
}

/** Serves the requests of a route. `params` are the decoded parameters of its path. */
export type Handler = (request: IncomingRequest, params: Readonly<Record<string, string>>) => Reply | Promise<Reply>

const no_bytes = Buffer.alloc(0)

/** `onLate` ends a request that has not arrived in time. `proxies`: whose `X-Forwarded-For` counts; null if none are named. */
export function toRequest(
  raw: IncomingMessage,
  now: number,
  http: HttpLimits,
  onLate: (raw: IncomingMessage) => void,
  proxies: AddressRanges | null,
): IncomingRequest {
  const url = originForm(raw.url ?? '/')
  const question = url.indexOf('?')
  let body: Promise<Buffer> | null = null
  const late = hasBody(raw) ? setTimeout(() => raw.complete || onLate(raw), http.request_ms) : undefined
  if (late !== undefined) raw.once('close', () => clearTimeout(late))
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
    pieces(bytes_max) {
      clearTimeout(late)
      return readPieces(raw, bytes_max, http.piece_ms)
    },
    ip: addressOfPeer(raw, proxies),
    receivedAt: now,
  }
}

function addressOfPeer(raw: IncomingMessage, proxies: AddressRanges | null): string {
  const peer = raw.socket.remoteAddress ?? ''
  return proxies === null ? peer : clientAddress(peer, headerValues(raw.rawHeaders, 'x-forwarded-for'), proxies)
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
  if (!hasBody(raw)) return Promise.resolve(no_bytes)
  const tooLarge = () => overLimit(bytes_max)
  if (Number(raw.headers['content-length']) > bytes_max) return Promise.reject(tooLarge())
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
      if (!isComplete) reject(incomplete())
    }
    raw.on('error', rejectIncomplete)
    raw.on('close', rejectIncomplete)
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

const incomplete = () => refuse('invalid_request_body', { message: 'The body did not arrive whole.' })

/**
 * The body as it arrives. The client waits while the receiver of a piece works. Refuses a body over the limit, by its header
 * before the first piece or when the limit is reached, one that ends early, and one of which nothing arrives for `piece_ms`.
 */
async function* readPieces(raw: IncomingMessage, bytes_max: number, piece_ms: number): AsyncGenerator<Buffer> {
  if (!hasBody(raw)) return
  if (Number(raw.headers['content-length']) > bytes_max) throw overLimit(bytes_max)
  let wake = (): void => {}
  const onChange = (): void => wake()
  for (const event of arrivals) raw.on(event, onChange)
  try {
    for (let size = 0; ; ) {
      const piece = raw.read() as Buffer | null
      if (piece !== null) {
        size += piece.length
        if (size > bytes_max) throw overLimit(bytes_max)
        yield piece
      } else if (raw.readableEnded) return
      else if (raw.destroyed) throw incomplete()
      else {
        let timer: NodeJS.Timeout | undefined
        const isLate = await new Promise<boolean>((resolve) => {
          wake = () => resolve(false)
          timer = setTimeout(resolve, piece_ms, true)
        })
        clearTimeout(timer)
        if (isLate) throw refuse('invalid_request_body', { message: late_message })
      }
    }
  } finally {
    for (const event of arrivals) raw.off(event, onChange)
    // Without a listener an error would end the process.
    raw.on('error', () => {})
  }
}

const arrivals = ['readable', 'end', 'close', 'error'] as const
export const late_message = 'The request did not arrive in time.'

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
  if (raw.method === 'HEAD' && isWritten) {
    reply.discard?.()
    response.writeHead(reply.status, reply.headers).end()
  } else if (reply.stream !== undefined) openStream(response, reply, reply.stream)
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
    const bytes = body === null ? 0 : Buffer.byteLength(body)
    if (body !== null || status !== 304) headers['Content-Length'] = String(bytes)
    try {
      if (reply.cookies !== undefined && reply.cookies.length > 0) response.setHeader('Set-Cookie', reply.cookies)
      response.writeHead(status, headers)
      // ASCII is sent without being encoded first.
      const encoding = typeof body === 'string' && bytes === body.length ? 'latin1' : 'utf8'
      if (unread === null) response.end(body ?? undefined, encoding)
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
