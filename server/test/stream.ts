/** A client of the event stream that keeps every frame as it arrives. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export interface Frame {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly data: any
}

export class StreamClient {
  readonly frames: Frame[] = []
  readonly response: IncomingMessage
  /** Everything before the first event. */
  preamble = ''
  /** Whether the server ended the response or the connection was cut. */
  readonly ended: Promise<'end' | 'cut'>
  private readonly sent: ClientRequest
  private readonly waiting = new Set<() => void>()
  private rest = ''

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.sent = sent
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.take(text))
    response.on('error', () => {})
    this.ended = new Promise((resolve) => {
      response.on('close', () => resolve(response.complete ? 'end' : 'cut'))
    })
  }

  private take(text: string): void {
    const parts = (this.rest + text).split('\n\n')
    this.rest = parts.pop() as string
    for (const part of parts) {
      if (part.startsWith('id: ')) this.frames.push(readFrame(part))
      else this.preamble += `${part}\n\n`
    }
    for (const check of this.waiting) check()
  }

  /** Resolves when `count` events have arrived. */
  has(count: number): Promise<void> {
    return this.until(() => this.frames.length >= count)
  }

  /** Resolves when the stream has begun. */
  begun(): Promise<void> {
    return this.until(() => this.preamble !== '')
  }

  private until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return
        this.waiting.delete(check)
        resolve()
      }
      this.waiting.add(check)
      check()
    })
  }

  /** Hangs up. */
  async close(): Promise<void> {
    this.sent.destroy()
    await this.ended
  }
}

function readFrame(text: string): Frame {
  const fields = Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  )
  return { id: fields.id as string, event: fields.event as string, data: JSON.parse(fields.data as string) }
}

/** Opens a stream. If the server refuses it, the client has the response and no frames. */
export function openStream(
  base: string,
  key: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamClient> {
  const { hostname: host, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const options = { host, port, path: `/v1/events/stream?${query}`, agent: false as const }
    const sent = request({ ...options, headers: { authorization: `Bearer ${key}`, ...headers } }, (response) =>
      resolve(new StreamClient(sent, response)),
    )
    sent.on('error', reject)
    sent.end()
  })
}
