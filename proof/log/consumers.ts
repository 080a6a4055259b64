/** Those who follow a log: by its list, by the stream, and as a webhook endpoint. Each keeps what it got, in the order it came. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../server/test/call.ts'
import { openReceiver, type Received, type Receiver } from '../../server/test/receiver.ts'
import { openStream, type StreamClient } from '../../server/test/stream.ts'
import type { Dice } from '../dice.ts'
import type { Entry, Log } from './log.ts'

/** How often a stream is asked for that is refused for the moment. */
const tries_max = 200

export interface Source {
  readonly log: Log
  readonly dice: Dice
  readonly url: () => string
  violated(text: string): void
}

export interface Consumer {
  readonly name: string
  /** What came, each event once, in its order. */
  readonly got: readonly Entry[]
  /** The sequence behind which it began. */
  readonly from: number
  /** Which types it wants; all if left out. */
  readonly type?: string
  /** Follows the log until told to end. */
  follow(): Promise<void>
  end(): void
}

/** Polls the list, walks it back to what it knows, by pages of any size, and goes on from there. */
export class ListConsumer implements Consumer {
  readonly name: string
  readonly got: Entry[] = []
  readonly from = 0
  private readonly source: Source
  private over = false

  constructor(source: Source) {
    this.source = source
    this.name = `the list of ${source.log.name}`
  }

  async follow(): Promise<void> {
    while (!this.over) {
      await this.poll()
      await sleep(this.source.dice.int(0, 100))
    }
  }

  private async poll(): Promise<void> {
    const { dice, url, log } = this.source
    const known = this.got.at(-1)?.sequence ?? this.from
    const fresh: Entry[] = []
    let cursor = ''
    for (;;) {
      const path = `/v1/events?limit=${dice.int(1, 100)}${cursor}`
      const reply = await call(url(), 'GET', path, { key: log.key })
      if (reply.status !== 200) {
        if (reply.status !== 503) this.source.violated(`${this.name}: ${reply.text}`)
        return
      }
      const page = reply.body.data as Entry[]
      fresh.push(...page.filter(({ sequence }) => sequence > known).map(({ sequence, id }) => ({ sequence, id })))
      if (page.at(-1) === undefined || (page.at(-1)?.sequence ?? 0) <= known || reply.body.next_cursor === null) break
      cursor = `&cursor=${reply.body.next_cursor}`
    }
    this.got.push(...fresh.reverse())
  }

  end(): void {
    this.over = true
  }
}

/** Hangs up at any moment and comes back with the id of its last event, or of an earlier one, to any of the servers. */
export class StreamConsumer implements Consumer {
  readonly name: string
  readonly got: Entry[] = []
  readonly type?: string
  from = 0
  private readonly source: Source
  private over = false

  constructor(source: Source, type?: string) {
    this.source = source
    this.name = `the stream of ${source.log.name}${type === undefined ? '' : `, ${type}`}`
    if (type !== undefined) this.type = type
  }

  /** Begins where the log ends now. */
  async begin(): Promise<void> {
    const client = await this.open({})
    this.from = Number(/^W\/"(\d+)"$/.exec(String(client.response.headers.etag))?.[1])
    await this.listen(client, 0)
  }

  async follow(): Promise<void> {
    while (!this.over) {
      const back = this.got.length > 0 && this.source.dice.chance(0.3) ? this.source.dice.int(1, 40) : 1
      const place = Math.max(0, this.got.length - back)
      const last = this.got[place]
      // Before the first event there is nothing to come back with.
      if (last === undefined) return await this.begin().then(() => this.follow())
      await this.listen(await this.open({ 'last-event-id': last.id }), place + 1)
    }
  }

  /** A stream that was hung up is counted for a moment longer: then there may be one too many. */
  private async open(headers: Record<string, string>): Promise<StreamClient> {
    const { url, log } = this.source
    for (let tries = 1; ; tries++) {
      const client = await openStream(url(), log.key, `types[]=${this.type ?? '*'}`, headers)
      const status = client.response.statusCode
      if (status === 200) return client
      await client.close()
      if ((status !== 429 && status !== 503) || tries === tries_max)
        throw new Error(`${this.name} is refused: ${status}`)
      await sleep(50)
    }
  }

  /** Takes what comes for a moment. `place`: where in `got` the first event belongs; what is there already must be the same. */
  private async listen(client: StreamClient, place: number): Promise<void> {
    await sleep(this.source.dice.int(0, 300))
    await client.close()
    client.frames.forEach(({ id, data }, i) => {
      const known = this.got[place + i]
      if (known === undefined) this.got.push({ sequence: data.sequence, id })
      else if (known.id !== id) this.source.violated(`${this.name} told ${id} where it had told ${known.id}`)
    })
  }

  end(): void {
    this.over = true
  }
}

interface Arrival extends Entry {
  readonly attempt: number
  readonly succeeded: boolean
}

/** A webhook endpoint that is out of order now and then. */
export class HookConsumer implements Consumer {
  readonly name: string
  readonly arrivals: Arrival[] = []
  from = 0
  private readonly source: Source
  private readonly receiver: Receiver
  private out_until = 0

  private constructor(source: Source, receiver: Receiver) {
    this.source = source
    this.receiver = receiver
    this.name = `the webhook of ${source.log.name}`
    receiver.respond = (received, response) => {
      const succeeded = this.isUp()
      this.arrivals.push(arrivalOf(received, succeeded))
      response.writeHead(succeeded ? 204 : 500).end()
    }
  }

  static async open(source: Source): Promise<HookConsumer> {
    const receiver = await openReceiver()
    const consumer = new HookConsumer(source, receiver)
    const body = { url: receiver.url, event_types: ['*'] }
    const reply = await call(source.url(), 'POST', '/v1/webhook_endpoints', { key: source.log.key, body })
    if (reply.status !== 200) throw new Error(`no endpoint: ${reply.text}`)
    const path = '/v1/events?limit=100'
    const { body: page } = await call(source.url(), 'GET', path, { key: source.log.key })
    // Its own creation is the last event that it does not get.
    const created = page.data.find(({ data }: { data: { object: Entry } }) => data.object.id === reply.body.id)
    consumer.from = created.sequence
    return consumer
  }

  private isUp(): boolean {
    if (performance.now() < this.out_until) return false
    if (this.source.dice.chance(0.005)) this.out_until = performance.now() + this.source.dice.int(10, 150)
    return this.source.dice.chance(0.97)
  }

  /** What it took, once each: sorted, because attempts overtake each other. */
  get got(): readonly Entry[] {
    const taken = new Map(this.arrivals.filter(({ succeeded }) => succeeded).map((each) => [each.sequence, each]))
    return [...taken.values()].sort((a, b) => a.sequence - b.sequence)
  }

  async follow(): Promise<void> {}

  end(): void {}

  async close(): Promise<void> {
    await this.receiver.close()
  }
}

function arrivalOf({ event, headers }: Received, succeeded: boolean): Arrival {
  return { sequence: event.sequence, id: event.id, attempt: Number(headers['service-attempt']), succeeded }
}
