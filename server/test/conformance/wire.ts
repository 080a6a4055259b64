/** Raw bytes on a connection, for requests that an HTTP client refuses to send. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Reply } from '../call.ts'

/** Sends bytes and reads until the answer is complete or the server closes the connection. */
export async function sendBytes(base: string, ...parts: (string | Buffer)[]): Promise<Reply> {
  const url = new URL(base)
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const part of parts) socket.write(part)
  const chunks: Buffer[] = []
  let reply: Reply | null = null
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      reply = readReply(Buffer.concat(chunks), String(parts[0]).startsWith('HEAD '))
      if (reply !== null) resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.destroy()
  if (reply === null) throw new Error(`no whole answer: ${JSON.stringify(Buffer.concat(chunks).toString())}`)
  return reply
}

/**
 * Sends a head and then `piece` repeatedly until `size` bytes are sent or the connection closes, and reads only then.
 * Returns the answer and the number of bytes sent.
 */
export async function sendFirst(base: string, start: string, piece: Buffer, size: number) {
  const url = new URL(base)
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(start)
  let sent = 0
  while (sent < size) {
    const error = await new Promise((resolve) => socket.write(piece, resolve))
    if (error) break
    sent += piece.length
  }
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  return { sent, reply: readReply(Buffer.concat(chunks), false) }
}

/** The first answer once it is complete. A chunked answer counts as one without a body: this server sends none. */
function readReply(bytes: Buffer, isBodiless: boolean): Reply | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim()
  }
  const status = Number(start.split(' ')[1])
  if (status === 100) return readReply(bytes.subarray(end + 4), isBodiless)
  const length = isBodiless ? 0 : Number(headers['content-length'] ?? 0)
  const body = bytes.subarray(end + 4)
  if (body.length < length) return null
  const text = body.subarray(0, length).toString()
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== ''
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}

/** The head of a request: its lines and the empty line. */
export function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
