/** Consumers of a log: by list, by stream and as a webhook endpoint. Each keeps the events in the order received. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../server/test/call.ts'
import { openReceiver, type Received, type Receiver } from '../../server/test/receiver.ts'
import { openStream, type StreamClient } from '../../server/test/stream.ts'
import type { Dice } from '../dice.ts'
import type { Entry, Log } from './log.ts'

/** Attempts to open a stream that is temporarily refused. */
const tries_max = 200

export interface Source {
  readonly log: Log
  readonly dice: Dice
  readonly url: () => string
  violated(text: string): void
}

export interface Consumer {
  readonly name: string
  /** The received events, in order. */
  readonly got: readonly Entry[]
  /** The last sequence before its first event. */
  readonly from: number
  /** The only type it wants; all if left out. */
  readonly type?: string
  /** Follows the log until `end`. */
  follow(): Promise<void>
  end(): void
}

/** Polls the list: pages of random size back to the last known event. */
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

/** Disconnects at random and resumes at any server, from its last event or an earlier one. */
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

  /** Begins at the current end of the log. */
  async begin(): Promise<void> {
    const client = await this.open({})
    this.from = Number(/^W\/"(\d+)"$/.exec(String(client.response.headers.etag))?.[1])
    await this.listen(client, 0)
  }

  async follow(): Promise<void> {
    while (!this.over) {
      const back = this.got.length > 0 && this.source.dice.chance(0.3) ? this.source.dice.int(1, 40) : 1
      const index = Math.max(0, this.got.length - back)
      const last = this.got[index]
      // Without an event there is no id to resume from.
      if (last === undefined) return await this.begin().then(() => this.follow())
      await this.listen(await this.open({ 'last-event-id': last.id }), index + 1)
    }
  }

  /** Retries: a closed stream counts towards the limit for a moment longer. */
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

  /** Receives for a moment. `index`: the position in `got` of the first event; repeated events must be equal. */
  private async listen(client: StreamClient, index: number): Promise<void> {
    await sleep(this.source.dice.int(0, 300))
    await client.close()
    client.frames.forEach(({ id, data }, i) => {
      const known = this.got[index + i]
      if (known === undefined) this.got.push({ sequence: data.sequence, id })
      else if (known.id !== id) this.source.violated(`${this.name} sent ${id} where it had sent ${known.id}`)
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

/** A webhook endpoint that sometimes fails. */
export class HookConsumer implements Consumer {
  readonly name: string
  readonly arrivals: Arrival[] = []
  from = 0
  private readonly source: Source
  private readonly receiver: Receiver
  private down_until = 0

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
    // The endpoint's own creation is the last event it does not get.
    const created = page.data.find(({ data }: { data: { object: Entry } }) => data.object.id === reply.body.id)
    consumer.from = created.sequence
    return consumer
  }

  private isUp(): boolean {
    if (performance.now() < this.down_until) return false
    if (this.source.dice.chance(0.005)) this.down_until = performance.now() + this.source.dice.int(10, 150)
    return this.source.dice.chance(0.97)
  }

  /** Each accepted event once, sorted because attempts can overtake each other. */
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
