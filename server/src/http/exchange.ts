/**
 * One HTTP exchange: turns what Node hands over into a request of the rules, and their answer into bytes. The body is
 * read only when a rule asks for it, so that a caller who may not write is refused before sending much.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { refuse } from '../api/errors.ts'
import type { Answer, OpenStream, Request } from '../api/request.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'

const no_bytes = Buffer.alloc(0)

/** The request as the rules see it. */
export function toRequest(raw: IncomingMessage, now: number, body_bytes_max = limits.body_bytes_max): Request {
  const url = originForm(raw.url ?? '/')
  const at = url.indexOf('?')
  let body: Promise<Buffer> | null = null
  return {
    id: newId('req', now),
    method: raw.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    rawQuery: at < 0 ? '' : url.slice(at + 1),
    headers: raw.headers,
    headerValues: (name) => headerValues(raw.rawHeaders, name),
    body() {
      body ??= readBytes(raw, body_bytes_max)
      return body
    },
    ip: raw.socket.remoteAddress ?? '',
    receivedAt: now,
  }
}

/** Every value of a header, as it was sent. Node's own list of them is made for all headers at once. */
function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] as string
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] as string)
  }
  return values
}

/** A target without the scheme and host that a proxy's client puts before it (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

/** All bytes of the body. One that says or turns out to be over the limit is refused without reading on. */
function readBytes(raw: IncomingMessage, body_bytes_max: number): Promise<Buffer> {
  const length = raw.headers['content-length']
  if (length === '0' || (length === undefined && raw.headers['transfer-encoding'] === undefined)) {
    return Promise.resolve(no_bytes)
  }
  const tooLarge = () =>
    refuse('invalid_request_body', { message: `The body is over the limit of ${body_bytes_max} bytes.` })
  if (Number(length) > body_bytes_max) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > body_bytes_max) {
        raw.pause()
        raw.removeAllListeners('data')
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    let isWhole = false
    raw.on('end', () => {
      isWhole = true
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    })
    const broken = (): void => {
      if (!isWhole) reject(refuse('invalid_request_body', { message: 'The body did not arrive whole.' }))
    }
    raw.on('error', broken)
    raw.on('close', broken)
  })
}

/** Sends an answer to a request that came through Fastify. */
export function send(reply: FastifyReply, answer: Answer): void {
  reply.hijack()
  respond(reply.request.raw, reply.raw, answer)
}

/** Sends an answer. A connection whose request has a large body that was not read to its end is closed, not reused. */
export function respond(raw: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const isUnread = raw.method !== 'GET' && !raw.complete
  const isLarge =
    isUnread &&
    (Number(raw.headers['content-length'] ?? 0) > limits.body_bytes_drain_max ||
      raw.headers['transfer-encoding'] !== undefined)
  if (isLarge) answer.headers.Connection = 'close'
  if (isUnread) raw.resume()
  if (answer.stream !== undefined) {
    openStream(response, answer, answer.stream)
    return
  }
  if (outgoing.push({ response, answer, unread: isLarge ? raw : null }) === 1) setImmediate(sendAll)
}

interface Outgoing {
  readonly response: ServerResponse
  readonly answer: Answer
  /** The request, when its connection is to be closed and its body has not arrived. */
  readonly unread: IncomingMessage | null
}

let outgoing: Outgoing[] = []

/**
 * The answers of one turn of the event loop go out together. Sending wakes whoever waits at the other end, which on many
 * machines costs more than the request did: so a busy server wakes it once for many answers.
 */
function sendAll(): void {
  const ready = outgoing
  outgoing = []
  for (const { response, answer, unread } of ready) {
    const { status, headers, body } = answer
    if (body !== null) headers['Content-Length'] = String(Buffer.byteLength(body))
    else if (status !== 304) headers['Content-Length'] = '0'
    try {
      response.writeHead(status, headers)
      if (unread === null) response.end(body ?? undefined)
      else sendAhead(unread, response, body)
    } catch {
      // A header that cannot be sent must not keep the others' answers back.
      response.destroy()
    }
  }
}

/**
 * Sends an answer before the request's body has arrived, and throws away what still comes of that until the client has sent
 * it all or a bound is reached: a connection that is closed on bytes nobody read is reset, and the client may never see
 * its answer (RFC 9112 §9.6).
 */
function sendAhead(raw: IncomingMessage, response: ServerResponse, body: string | null): void {
  response.flushHeaders()
  if (body !== null) response.write(body)
  const end = (): void => {
    clearTimeout(late)
    response.end()
  }
  const late = setTimeout(end, limits.body_linger_ms)
  if (raw.complete || raw.destroyed) {
    end()
    return
  }
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limits.body_bytes_linger_max) end()
  })
  raw.once('end', end)
  raw.once('close', end)
}

/** Hands the connection to a stream, which writes until one side ends it. */
function openStream(response: ServerResponse, answer: Answer, stream: OpenStream): void {
  response.on('error', () => {})
  response.writeHead(answer.status, answer.headers)
  stream.open({
    write: (text) => void response.write(text),
    pending: () => response.writableLength + (response.socket?.writableLength ?? 0),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
    onClose: (listener) => void response.on('close', listener),
  })
}
