/**
 * One HTTP exchange: turns what Fastify hands over into a request of the rules, and their answer into bytes. The body is
 * read only when a rule asks for it, so that a caller who may not write is refused before sending much.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../api/errors.ts'
import type { Answer, OpenStream, Request } from '../api/request.ts'
import { newId } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'

const no_bytes = Buffer.alloc(0)

/** The request as the rules see it. */
export function toRequest(raw: FastifyRequest['raw'], now: number): Request {
  const url = originForm(raw.url ?? '/')
  const at = url.indexOf('?')
  let body: Promise<Buffer> | null = null
  return {
    id: newId('req', now),
    method: raw.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    rawQuery: at < 0 ? '' : url.slice(at + 1),
    headers: raw.headers,
    headerValues: (name) => raw.headersDistinct[name] ?? [],
    body() {
      body ??= readBytes(raw)
      return body
    },
    ip: raw.socket.remoteAddress ?? '',
    receivedAt: now,
  }
}

/** A target without the scheme and host that a proxy's client puts before it (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

/** All bytes of the body. One that says or turns out to be over the limit is refused without reading on. */
function readBytes(raw: FastifyRequest['raw']): Promise<Buffer> {
  const length = raw.headers['content-length']
  if (length === '0' || (length === undefined && raw.headers['transfer-encoding'] === undefined)) {
    return Promise.resolve(no_bytes)
  }
  const tooLarge = () =>
    refuse('invalid_request_body', { message: `The body is over the limit of ${limits.body_bytes_max} bytes.` })
  if (Number(length) > limits.body_bytes_max) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.body_bytes_max) {
        raw.pause()
        raw.removeAllListeners('data')
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    raw.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)))
    raw.on('error', () => reject(refuse('invalid_request_body', { message: 'The body did not arrive whole.' })))
    raw.on('close', () => reject(refuse('invalid_request_body', { message: 'The body did not arrive whole.' })))
  })
}

/** Sends an answer. A connection whose request body was not read to its end is closed, not reused. */
export function send(reply: FastifyReply, answer: Answer): void {
  const { raw } = reply.request
  if (!raw.complete && raw.method !== 'GET') {
    if (
      Number(raw.headers['content-length'] ?? 0) > limits.body_bytes_drain_max ||
      raw.headers['transfer-encoding'] !== undefined
    ) {
      answer.headers.Connection = 'close'
    } else raw.resume()
  }
  if (answer.stream !== undefined) {
    openStream(reply, answer, answer.stream)
    return
  }
  reply.headers(answer.headers)
  reply.code(answer.status)
  reply.send(answer.body ?? undefined)
}

/** Hands the connection to a stream, which writes until one side ends it. */
function openStream(reply: FastifyReply, answer: Answer, stream: OpenStream): void {
  reply.hijack()
  const { raw } = reply
  raw.on('error', () => {})
  raw.writeHead(answer.status, answer.headers)
  stream.open({
    write: (text) => void raw.write(text),
    pending: () => raw.writableLength + (raw.socket?.writableLength ?? 0),
    end: () => void raw.end(),
    destroy: () => void raw.destroy(),
    onClose: (listener) => void raw.on('close', listener),
  })
}
