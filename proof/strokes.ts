/** People who draw on one board until its server is gone, and the check that no stroke acknowledged to them is lost afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyBetween } from 'fractional-indexing'
import { call } from '../server/test/call.ts'
import { Drawer, rectangle } from '../server/test/drawer.ts'
import type { Dice } from './dice.ts'
import type { Violated } from './row.ts'

const people_count = 4
/** With this number of elements people change and delete some instead of adding more. */
const elements_many = 300

export interface StrokesOptions {
  /** The server's URL; asked at each attempt to connect, because a restart may change it. */
  readonly server: () => string
  readonly key: string
  readonly dice: Dice
}

export class StrokeWorkload {
  /** Strokes that were acknowledged. */
  acknowledged = 0
  readonly #options: StrokesOptions
  readonly #board: string
  /** Element → the highest version that was acknowledged to anyone, over all connections. */
  readonly #versions = new Map<string, number>()
  #people: Drawer[] = []
  #drawing: Promise<unknown> = Promise.resolve()
  #ending = Promise.withResolvers<null>()
  #isEnding = false
  #strokes = 0
  #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  private constructor(options: StrokesOptions, board: string) {
    this.#options = options
    this.#board = board
  }

  /** Makes the board, with the idempotency key `the-board`. */
  static async open(options: StrokesOptions): Promise<StrokeWorkload> {
    const { server, key } = options
    const made = await call(server(), 'POST', '/v1/boards', {
      key,
      body: { name: 'Drawn' },
      idempotencyKey: 'the-board',
    })
    return new StrokeWorkload(options, made.body.id)
  }

  /** Lets people come who draw one stroke after the other, each after the one before it was acknowledged. */
  start(): void {
    this.#isEnding = false
    this.#ending = Promise.withResolvers()
    this.#people = Array.from({ length: people_count }, () => this.#come())
    this.#drawing = Promise.all(this.#people.map((person) => this.#draw(person)))
  }

  /** Resolves after `count` more acknowledged strokes. */
  more(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ count: this.acknowledged + count, resolve })
    return promise
  }

  /** Resolves when the strokes that were begun are acknowledged. Nothing new is drawn. */
  async finish(): Promise<void> {
    this.#isEnding = true
    await this.#drawing
  }

  /** Disconnects everyone at once: no client is left that could send again what the server forgets. */
  async leave(): Promise<void> {
    this.#isEnding = true
    this.#ending.resolve(null)
    for (const person of this.#people) person.leave()
    await this.#drawing
    for (const person of this.#people) {
      for (const [id, { version }] of person.acknowledged) {
        this.#versions.set(id, Math.max(version, this.#versions.get(id) ?? 0))
      }
    }
  }

  /** Reads the board again, and reports acknowledged strokes that it lacks. Rejects if the board itself is lost. */
  async examine(violated: Violated): Promise<void> {
    const late = this.#come()
    await late.until(() => late.state !== 'connecting')
    if (late.state === 'ended') throw new Error(`the board cannot be opened: ${late.reason}`)
    const lost = [...this.#versions].filter(([id, version]) => (late.elements.get(id)?.version ?? 0) < version)
    late.leave()
    if (lost.length > 0) violated(`${lost.length} elements lack acknowledged strokes, such as ${lost[0]?.[0]}`)
    const refused = this.#people.flatMap(({ refusals }) => refusals)
    for (const { message } of refused) violated(`a stroke was refused: ${message}`)
  }

  #come(): Drawer {
    const { server, key } = this.#options
    return new Drawer({ server, board: this.#board, key })
  }

  async #draw(person: Drawer): Promise<void> {
    const { dice } = this.#options
    await Promise.race([person.joined(), this.#ending.promise])
    while (!this.#isEnding) {
      this.#drawOne(person)
      const saved = person.allSaved().then(() => true)
      if ((await Promise.race([saved, this.#ending.promise])) === null) return
      this.acknowledged++
      this.#waiting = this.#waiting.filter(({ count, resolve }) => this.acknowledged < count || resolve())
      await sleep(dice.int(0, 4))
    }
  }

  /** Draws a new element, or changes or deletes any that the person sees. */
  #drawOne(person: Drawer): void {
    const { dice } = this.#options
    const scene = person.scene()
    const any = scene[dice.int(0, Math.max(0, scene.length - 1))]
    const x = dice.int(0, 5000)
    const kind = dice.unit()
    if (any === undefined || (kind < 0.4 && scene.length < elements_many)) {
      const index = generateKeyBetween(scene.at(-1)?.index ?? null, null)
      person.draw(rectangle(`stroke-${++this.#strokes}`, { x, index }))
    } else person.change(any.id, kind < 0.85 ? { x } : { isDeleted: true })
  }
}
