/**
 * Tells the demo organization's story: requests that go the way of every request, from the credential to the request log, at
 * times that a clock of their own says. Time only goes forward, and after each write a few minutes pass, so that what
 * happened reads like work and keeps within the credits of a plan.
 */
import { randomUUID } from 'node:crypto'
import type { Operation } from '../api/operation.ts'
import { answer } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import { catalogue } from '../catalogue.ts'
import { HandClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'

const hour_ms = 3_600_000
/** Between two writes. */
const pause_ms = 150_000

/** What a request of the story answered; the story knows which fields it has. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every shape pass here
export type Told = any

export interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object
}

export class Teller {
  /** The services as they are at the story's time. */
  readonly services: Services
  private readonly clock: HandClock
  /** When the story ends: the present. */
  readonly ends: number

  /** The story begins `hours` before the present of `services` and never goes beyond that. */
  constructor(services: Services, hours: number) {
    this.ends = services.clock.now()
    this.clock = new HandClock(this.ends - hours * hour_ms)
    this.services = { ...services, clock: this.clock }
  }

  /** Goes on to so many hours before the end, unless the story is there already. */
  goTo(hours: number): void {
    this.clock.set(Math.max(this.clock.now(), this.ends - hours * hour_ms))
  }

  private pass(): void {
    this.clock.set(Math.min(this.clock.now() + pause_ms, this.ends))
  }

  /** Sends a request with a key's secret. Rejects when it is refused: a story that is told half is worth telling of. */
  async tell(secret: string, operation: string, { params = {}, body = {} }: Sent): Promise<Told> {
    const declared = catalogue.find(({ id }) => id === operation)
    if (declared === undefined) throw new Error(`there is no operation ${operation}`)
    const made = await answer(this.services, declared, this.request(declared, secret, params, body), params)
    if (made.status !== 200) throw new Error(`${operation} answered ${made.status}: ${made.body}`)
    this.pass()
    return JSON.parse(made.body ?? 'null')
  }

  private request(operation: Operation, secret: string, params: Readonly<Record<string, string>>, body: object) {
    const bytes = Buffer.from(JSON.stringify(body))
    const headers: Record<string, string> = {
      authorization: `Bearer ${secret}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'user-agent': 'atrium-demo',
    }
    const now = this.clock.now()
    return {
      id: newId('req', now),
      method: operation.method,
      path: operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? '')),
      rawQuery: '',
      headers,
      headerValues: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
      body: async () => bytes,
      ip: '127.0.0.1',
      receivedAt: now,
    }
  }
}
