/**
 * A client's connection at the level of bytes. Requests are sent unchanged, one after another, and answers are matched to
 * requests by order. Nothing is corrected.
 */
import { connect, type Socket } from 'node:net'

export interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The connection ended before the answer was whole. */
export class Ended extends Error {}

interface Waiting {
  readonly isHead: boolean
  resolve(raw: Raw): void
  reject(error: Error): void
}

const no_bytes = Buffer.alloc(0)

export class Connection {
  readonly port: number
  private socket: Socket | null = null
  private rest: Buffer = no_bytes
  private waiting: Waiting[] = []

  constructor(port: number) {
    this.port = port
  }

  /** Sends the bytes of one request and resolves with its answer. Reconnects after the connection ended. */
  send(bytes: string | Buffer): Promise<Raw> {
    const socket = this.open()
    const { promise, resolve, reject } = Promise.withResolvers<Raw>()
    this.waiting.push({ isHead: bytes.toString('latin1', 0, 5).startsWith('HEAD '), resolve, reject })
    socket.write(bytes)
    return promise
  }

  /** Sends several requests at once. */
  sendAll(requests: readonly Buffer[]): Promise<Raw>[] {
    const socket = this.open()
    const answers = requests.map(() => {
      const { promise, resolve, reject } = Promise.withResolvers<Raw>()
      this.waiting.push({ isHead: false, resolve, reject })
      return promise
    })
    socket.write(Buffer.concat(requests))
    return answers
  }

  /** How many bytes arrived after the last expected answer. */
  get surplus(): number {
    return this.waiting.length === 0 ? this.rest.length : 0
  }

  /** Rejects the requests that still wait. */
  close(): void {
    const { socket } = this
    if (socket === null) return
    this.end(socket)
    socket.destroy()
  }

  private open(): Socket {
    if (this.socket !== null) return this.socket
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true })
    this.socket = socket
    this.rest = no_bytes
    socket.on('data', (chunk: Buffer) => this.take(chunk))
    socket.on('error', () => {})
    socket.on('close', () => this.end(socket))
    socket.on('end', () => this.end(socket))
    return socket
  }

  private end(socket: Socket): void {
    if (this.socket !== socket) return
    this.socket = null
    const lost = this.waiting
    this.waiting = []
    for (const { reject } of lost) reject(new Ended(`the connection ended: ${this.rest.toString('latin1', 0, 300)}`))
  }

  private take(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    while (this.waiting.length > 0) {
      const read = readAnswer(this.rest, this.waiting[0]?.isHead === true)
      if (read === null) return
      this.rest = this.rest.subarray(read.length)
      if (read.raw.status !== 100) this.waiting.shift()?.resolve(read.raw)
      if (read.raw.headers.connection === 'close') {
        const socket = this.socket
        if (socket !== null) this.end(socket)
        socket?.destroy()
        return
      }
    }
  }
}

/** The first answer in these bytes and its length; `null` while it is incomplete. */
export function readAnswer(bytes: Buffer, isHead = false): { raw: Raw; length: number } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [start = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 2)
  }
  const status = Number(start.slice(9, 12))
  const from = end + 4
  const hasNone = isHead || status === 304 || status === 204 || status < 200
  const length = hasNone ? 0 : Number(headers['content-length'] ?? 0)
  if (bytes.length < from + length) return null
  return { raw: { status, headers, text: bytes.toString('utf8', from, from + length) }, length: from + length }
}

export interface Sent {
  readonly method: string
  /** Path and query, as they go into the request line. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Buffer | undefined
}

/** A request as bytes. The content of its parts is not checked. */
export function bytesOf({ method, target, headers, body }: Sent): Buffer {
  let head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`, 'latin1')
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1'), bytes])
}
