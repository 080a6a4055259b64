/** Reading Server-Sent Events as they come (WHATWG HTML §9.2): fields in lines, frames ended by an empty line. */
import { cli_limits } from '../limits.ts'

export interface Frame {
  readonly id: string | null
  readonly data: string
  /** Milliseconds, where the server says how long to wait before coming back. */
  readonly retry: number | null
}

/** The frames of a byte stream. A comment is no frame; one that the end of the stream cuts off is dropped. */
export async function* framesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  let rest = ''
  let fields: string[] = []
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true })
    // A lone CR at the end may be the first half of a CRLF.
    const whole = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, whole).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(whole)
    if (rest.length > cli_limits.stream_frame_chars_max) throw new Error('a frame of the stream is too large')
    for (const line of lines) {
      if (line !== '') fields.push(line)
      else {
        const frame = frameOf(fields)
        fields = []
        if (frame !== null) yield frame
      }
    }
  }
}

function frameOf(lines: readonly string[]): Frame | null {
  const data: string[] = []
  let id: string | null = null
  let retry: number | null = null
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retry = Number(value)
  }
  return data.length === 0 && retry === null ? null : { id, data: data.join('\n'), retry }
}
