/**
 * A process of the product: its services, its workers and its pipeline over the shared database, living in simulated time. It
 * ends in order, or from one moment to the next; of what it had not committed then nothing is left.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from '../../server/src/api/pipeline.ts'
import type { Answer } from '../../server/src/api/request.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import type { Config } from '../../server/src/config.ts'
// What a process would load when it starts is loaded by now: it must take no time that is not simulated.
import '../../server/src/db/sqlite.ts'
import { type Asked, LogWrites } from '../../server/src/db/sqlite-log-writes.ts'
import { Routes } from '../../server/src/http/routes.ts'
import type { EgressRequest, EgressResult } from '../../server/src/lib/egress.ts'
import { newId } from '../../server/src/lib/ids.ts'
import type { Log } from '../../server/src/lib/log.ts'
import { type OpenServices, openServices } from '../../server/src/main.ts'
import { type RunningWorkers, startWorkers } from '../../server/src/workers/index.ts'
import type { Held } from './database.ts'
import { provideThread } from './runtime.ts'
import { Life, type Timeline } from './timeline.ts'

const routes = new Routes(catalogue)

provideThread('sqlite-log-thread.ts', (file) => {
  const log = new LogWrites(file as string)
  return async (message) => {
    const asked = message as Asked
    if (asked !== 'close') return { number: asked.number, ...(await log.write(asked.statements)) }
    log.close()
    return null
  }
})

/** How long after a start that failed the next is tried. */
const restart_ms = 500

/** A request as a client sends it. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Where a process can be met: around a commit while it is at a request, when it has answered a write, in a step's call. */
export const points = ['before_commit', 'after_commit', 'after_answer', 'in_call'] as const
export type Point = (typeof points)[number]

/** What a process meets outside of itself. */
export interface Outside {
  readonly timeline: Timeline
  readonly config: Config
  /** When the simulation began, in milliseconds since 1970. */
  readonly epoch_ms: number
  /** A process is about to start. */
  born(core: Core): void
  /** A process is paused, with whatever it holds: it may be the database's lock. */
  paused(): void
  /** Carries what it sends. */
  send(core: Core, request: EgressRequest): Promise<EgressResult>
  logged(core: Core, level: keyof Log, message: string, fields?: object): void
  /** A request was answered, whether or not the answer arrives. */
  charged(credential: string, now: number, answer: Answer, replayed: boolean): void
}

interface Open {
  readonly services: OpenServices
  readonly workers: RunningWorkers
}

export class Core {
  readonly life: Life
  private readonly outside: Outside
  private readonly held = new Set<Held>()
  private readonly farewells = new Set<() => void>()
  private open: Open | null = null
  private isStopping = false
  private underWay = 0
  private idle: () => void = () => {}
  private ambush: { readonly point: Point; times: number; readonly act: () => void } | null = null

  constructor(outside: Outside, name: string, skew_ms: number) {
    this.outside = outside
    this.life = new Life(name, skew_ms)
    outside.born(this)
  }

  /** It takes requests. */
  get isUp(): boolean {
    return this.life.alive && this.open !== null && !this.isStopping
  }

  get isDead(): boolean {
    return !this.life.alive
  }

  get services(): OpenServices {
    if (this.open === null) throw new Error(`${this.life.name} has not started`)
    return this.open.services
  }

  start(): void {
    this.outside.timeline.after(0, 'start', this.life, () => void this.begin())
  }

  private async begin(): Promise<void> {
    const { config, epoch_ms, timeline } = this.outside
    const clock = { now: () => Math.floor(epoch_ms + timeline.now + this.life.skew_ms) }
    const logs = (level: keyof Log) => (message: string, fields?: object) =>
      this.outside.logged(this, level, message, fields)
    const log = { debug: logs('debug'), info: logs('info'), warn: logs('warn'), error: logs('error') }
    const services = await this.patiently(() => openServices(config, { clock, log }))
    services.egress.send = (request) => this.outside.send(this, request)
    services.store.watch(services.committed)
    this.open = { services, workers: startWorkers(services) }
  }

  /** Tries again while the database cannot be opened, as whoever starts a process does. */
  private async patiently(open: () => Promise<OpenServices>): Promise<OpenServices> {
    for (;;) {
      try {
        return await open()
      } catch (error) {
        this.outside.logged(this, 'error', 'a process could not start', { error: String(error) })
        await sleep(restart_ms)
      }
    }
  }

  /** Has a request carried out. */
  handle(sent: Sent, answered: (answer: Answer) => void): void {
    const { services } = this
    const route = routes.find(sent.method, sent.url)
    if (route === null) throw new Error(`there is no ${sent.method} ${sent.url}`)
    const request = toRequest(sent, services.clock.now())
    this.underWay++
    void answer(services, route.operation, request, route.params).then((made) => {
      if (!this.life.alive) return
      this.outside.charged(sent.key, request.receivedAt, made, made.headers['Idempotent-Replayed'] === 'true')
      answered(made)
      if (sent.method !== 'GET') this.reach('after_answer')
      if (--this.underWay === 0) this.idle()
    })
  }

  /** Runs something of the product's in this process. */
  perform<T>(what: string, work: (services: OpenServices) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.outside.timeline.after(0, what, this.life, () => void work(this.services).then(resolve, reject))
    })
  }

  /** Calls `farewell` when it has ended, however; the returned function forgets that. */
  onEnd(farewell: () => void): () => void {
    this.farewells.add(farewell)
    return () => this.farewells.delete(farewell)
  }

  /** Calls `act` when it is at a point, having passed that so many times. */
  lieInWait(point: Point, times: number, act: () => void): void {
    this.ambush = { point, times, act }
  }

  /** Nobody lies in wait any more. */
  spare(): void {
    this.ambush = null
  }

  /** It is at a point: whoever lies in wait there strikes. */
  reach(point: Point): void {
    const { ambush } = this
    if (ambush?.point !== point || --ambush.times >= 0) return
    this.ambush = null
    ambush.act()
  }

  /** From here on nothing that it does has any effect. */
  kill(): void {
    this.end()
  }

  /** Lets it finish what it is at and write what it holds, as at a signal. */
  async stop(): Promise<void> {
    this.isStopping = true
    await this.perform('stop', async (services) => {
      services.streams.end()
      if (this.underWay > 0) await new Promise<void>((resolve) => (this.idle = resolve))
      await this.open?.workers.close()
      await services.close()
    })
    this.end()
  }

  private end(): void {
    if (!this.life.alive) return
    this.life.alive = false
    for (const held of this.held) if (held.isOpen) held.close()
    for (const farewell of this.farewells) farewell()
  }

  opened(held: Held): void {
    this.held.add(held)
  }

  committing(commit: () => void): void {
    if (this.underWay > 0) this.reach('before_commit')
    commit()
    if (this.underWay > 0) this.reach('after_commit')
  }
}

function toRequest(sent: Sent, now: number) {
  const [path = '', rawQuery = ''] = sent.url.split('?')
  const bytes = Buffer.from(sent.body === undefined ? '' : JSON.stringify(sent.body))
  const headers: Record<string, string> = {
    authorization: `Bearer ${sent.key}`,
    'content-length': String(bytes.length),
    ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...sent.headers,
  }
  return {
    id: newId('req', now),
    method: sent.method,
    path,
    rawQuery,
    headers,
    headerValues: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
    body: async () => bytes,
    ip: '127.0.0.1',
    receivedAt: now,
  }
}
