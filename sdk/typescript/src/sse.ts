/** A parser of Server-Sent Events after the HTML standard, for chunks that may be cut anywhere. */
import { AtriumError } from './errors.ts'
import { defaults } from './options.ts'

export interface Frame {
  /** The last id of the stream, possibly of an earlier frame; empty if there was none. */
  readonly id: string
  readonly event: string
  readonly data: string
}

export class SseParser {
  readonly #decoder = new TextDecoder()
  /** The server's reconnect wait in milliseconds; `null` until it is sent. */
  retry: number | null = null
  #rest = ''
  #id = ''
  #event = ''
  #data: string[] = []
  #size = 0

  /** The frames completed by this chunk. */
  take(bytes: Uint8Array): Frame[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    // A trailing carriage return may be the first half of a line end.
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() as string
    const frames = lines.flatMap((line) => this.#line(line))
    if (this.#size + this.#rest.length > defaults.frame_characters_max)
      throw new AtriumError(`The event is longer than ${defaults.frame_characters_max} characters.`)
    return frames
  }

  #line(line: string): Frame[] {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return []
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
    this.#size += line.length
    return []
  }

  #dispatch(): Frame[] {
    const frames = this.#data.length === 0 ? [] : [{ id: this.#id, event: this.#event, data: this.#data.join('\n') }]
    this.#event = ''
    this.#data = []
    this.#size = 0
    return frames
  }
}
