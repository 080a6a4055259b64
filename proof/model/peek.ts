/** The beginning of an endless answer: its head and a number of stream frames. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Raw, readAnswer } from '../connection.ts'

const patience_ms = 5_000

export async function peek(port: number, request: Buffer, frames: number): Promise<Raw> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  let bytes: Buffer = Buffer.alloc(0)
  try {
    socket.write(request)
    const late = AbortSignal.timeout(patience_ms)
    for (;;) {
      const found = readFrames(bytes, frames)
      if (found !== null) return found
      const [chunk] = (await once(socket, 'data', { signal: late })) as [Buffer]
      bytes = Buffer.concat([bytes, chunk])
    }
  } catch {
    return { status: 0, headers: {}, text: bytes.toString() }
  } finally {
    socket.destroy()
  }
}

function readFrames(bytes: Buffer, frames: number): Raw | null {
  const head = readAnswer(bytes)
  if (head === null) return null
  if (head.raw.headers['transfer-encoding'] !== 'chunked') return head.raw
  const text = unchunked(bytes.subarray(head.length))
  const isThere = text.includes(': connected\n\n') && text.split('\n\n').length - 1 >= frames + 1
  return isThere ? { ...head.raw, text } : null
}

/** The content of the complete chunks. */
function unchunked(bytes: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? 0 : Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(size > 0) || bytes.length < end + 2 + size) return Buffer.concat(parts).toString()
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}
