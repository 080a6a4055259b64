/** People on a board for the benchmark of drawing. */
import { rectangle } from '../server/test/drawer.ts'

/** A person whose strokes say when they were drawn. */
export class Painter {
  /** Milliseconds from the strokes of others to their arrival here. */
  readonly times: number[] = []
  readonly #socket: WebSocket
  readonly #number: number
  readonly #welcome = Promise.withResolvers<this>()
  #strokes = 0

  constructor(url: string, key: string, number: number) {
    this.#number = number
    this.#socket = new WebSocket(url)
    this.#socket.onopen = () => this.#send({ type: 'hello', token: key })
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)))
    this.#socket.onclose = ({ code, reason }) => this.#welcome.reject(new Error(`The board closed: ${code} ${reason}`))
  }

  joined(): Promise<this> {
    return this.#welcome.promise
  }

  stroke(): void {
    const id = ++this.#strokes
    const element = rectangle(`${this.#number}-${id}`, { x: id * 7, customData: { sent: performance.now() } })
    this.#send({ type: 'change', id, elements: [element] })
  }

  point(): void {
    const at = { x: Math.round(performance.now()) % 1000, y: this.#number * 10 }
    this.#send({ type: 'pointer', ...at, tool: 'pointer', button: 'up', selected: [], view: [0, 0, 1000, 800] })
  }

  leave(): void {
    this.#socket.close()
  }

  #receive(message: { type: string; elements?: { customData?: { sent?: number } }[]; error?: object }): void {
    if (message.type === 'welcome') this.#welcome.resolve(this)
    if (message.type === 'refused') throw new Error(`A stroke was refused: ${JSON.stringify(message.error)}`)
    if (message.type !== 'change') return
    for (const { customData } of message.elements ?? [])
      if (customData?.sent !== undefined) this.times.push(performance.now() - customData.sent)
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }
}
