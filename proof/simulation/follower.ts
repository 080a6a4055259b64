/** A consumer of the event stream that reconnects after every break, from its last event. */
import type { StreamSink } from '../../server/src/api/declare/request.ts'
import type { Dice } from '../dice.ts'
import { isTemporary } from './clients.ts'
import type { Core } from './core.ts'
import type { World } from './world.ts'

/** The wait before it reconnects, as in the stream's `retry`. */
const retry_ms = 3000

export class Follower {
  /** The sequence of the last event. */
  sequence: number
  breaks = 0
  private readonly world: World
  private readonly dice: Dice
  private last: string
  private isAway = false

  constructor(world: World) {
    this.world = world
    this.dice = world.dice.fork()
    this.sequence = world.installed.last.sequence
    this.last = world.installed.last.id
  }

  follow(): void {
    this.connect()
  }

  /** Stops reconnecting. */
  stop(): void {
    this.isAway = true
  }

  private connect(): void {
    const { world, dice } = this
    const { timeline, machines, installed } = world
    if (this.isAway) return
    const { core } = dice.pick(machines)
    const again = () => void timeline.after(retry_ms, 'come back', null, () => this.connect())
    if (!core.isUp) {
      again()
      return
    }
    const headers = { 'last-event-id': this.last }
    const sent = { method: 'GET', url: '/v1/events/stream?types[]=*', key: installed.keys.admin, headers }
    const connection = new Connection(world, core, dice, (text) => this.take(text))
    const forget = core.onEnd(() => connection.broken())
    connection.closed = () => {
      forget()
      this.breaks++
      again()
    }
    timeline.after(dice.unit() * 10, 'follow', core.life, () => {
      if (!core.isUp) return connection.broken()
      core.handle(sent, (answer) => {
        if (answer.stream !== undefined) answer.stream.open(connection)
        else connection.broken()
        const mayCome = answer.status === 200 || answer.status === 429 || isTemporary(answer)
        if (!mayCome) world.violated(`the stream got ${answer.body}`)
      })
    })
    if (dice.chance(0.5)) timeline.after(dice.int(1000, 20_000), 'break', null, () => connection.broken())
  }

  private take(text: string): void {
    for (const frame of text.split('\n\n')) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data === undefined) continue
      const { id, sequence } = JSON.parse(data)
      if (sequence !== this.sequence + 1) {
        this.world.violated(`the stream continued from event ${this.sequence} to ${sequence}`)
      }
      this.sequence = sequence
      this.last = id
    }
  }
}

/** Delivers frames in order until it breaks; frames in transit are then lost. */
class Connection implements StreamSink {
  closed: () => void = () => {}
  private readonly world: World
  private readonly core: Core
  private readonly dice: Dice
  private readonly deliver: (text: string) => void
  private readonly listeners: (() => void)[] = []
  private arrives_ms = 0
  private underWay = 0
  private isOpen = true

  constructor(world: World, core: Core, dice: Dice, deliver: (text: string) => void) {
    this.world = world
    this.core = core
    this.dice = dice
    this.deliver = deliver
  }

  write(text: string): void {
    const { timeline } = this.world
    this.arrives_ms = Math.max(this.arrives_ms, timeline.now + this.dice.unit() * 20)
    this.underWay += text.length
    timeline.after(this.arrives_ms - timeline.now, 'frame', null, () => {
      this.underWay -= text.length
      if (this.isOpen) this.deliver(text)
    })
  }

  pending(): number {
    return this.underWay
  }

  end(): void {
    const { timeline } = this.world
    timeline.after(Math.max(0, this.arrives_ms - timeline.now), 'end', null, () => this.close())
  }

  destroy(): void {
    this.close()
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** The network or the process failed. */
  broken(): void {
    this.close()
    for (const listener of this.listeners) this.world.timeline.after(1, 'closed', this.core.life, listener)
  }

  private close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.closed()
  }
}
