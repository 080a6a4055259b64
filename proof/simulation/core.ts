/**
 * A process of the product in simulated time: its services, workers and pipeline over the shared database. It stops cleanly or
 * is killed between two steps; what it had not committed is then lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../../server/src/api/declare/operation.ts'
import { type Answer, piecesOf } from '../../server/src/api/declare/request.ts'
import { answer } from '../../server/src/api/pipeline.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import type { Config } from '../../server/src/config.ts'
// Loads what a process loads at its start, because loading takes real time.
import '../../server/src/db/sqlite/store.ts'
import { type LogRequest, LogWrites } from '../../server/src/db/sqlite/log/writes.ts'
import type { EgressRequest, EgressResult } from '../../server/src/egress/egress.ts'
import { Router } from '../../server/src/http/router.ts'
import { newId } from '../../server/src/lib/ids.ts'
import type { Log } from '../../server/src/lib/log.ts'
import { type OpenServices, openServices } from '../../server/src/main.ts'
import { type RunningWorkers, startWorkers } from '../../server/src/workers/index.ts'
import type { Held } from './database.ts'
import { provideThread } from './runtime.ts'
import { Life, type Timeline } from './timeline.ts'

const router = new Router<Operation>()
for (const operation of catalogue) router.add(operation.method, operation.path, operation)

provideThread('log-thread.ts', (file) => {
  const log = new LogWrites(file as string)
  return async (message) => {
    const request = message as LogRequest
    if (request !== 'close') return { number: request.number, ...(await log.write(request.statements)) }
    log.close()
    return null
  }
})

/** The wait before the next start after a failed one. */
const restart_ms = 500

/** A request as a client sends it. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Where a process can be struck: around a commit during a request, after answering a write, during a step's outgoing call. */
export const points = ['before_commit', 'after_commit', 'after_answer', 'in_call'] as const
export type Point = (typeof points)[number]

/** The world outside a process. */
export interface OutsideWorld {
  readonly timeline: Timeline
  readonly config: Config
  /** The start of the simulation in milliseconds since 1970. */
  readonly epoch_ms: number
  /** Called before a process starts. */
  starting(core: Core): void
  /** A process was paused, possibly while it holds the database lock. */
  paused(): void
  /** Carries out an outgoing request. */
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
  private readonly outside: OutsideWorld
  private readonly held = new Set<Held>()
  private readonly farewells = new Set<() => void>()
  private open: Open | null = null
  private isStopping = false
  private underWay = 0
  private idle: () => void = () => {}
  private strike: { readonly point: Point; times: number; readonly act: () => void } | null = null

  constructor(outside: OutsideWorld, name: string, skew_ms: number) {
    this.outside = outside
    this.life = new Life(name, skew_ms)
    outside.starting(this)
  }

  /** Whether it accepts requests. */
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
    const services = await this.openWithRetries(() => openServices(config, { clock, log }))
    services.egress.send = (request) => this.outside.send(this, request)
    services.store.watch(services.committed)
    this.open = { services, workers: startWorkers(services) }
  }

  /** Retries while the database cannot be opened, as a supervisor does. */
  private async openWithRetries(open: () => Promise<OpenServices>): Promise<OpenServices> {
    for (;;) {
      try {
        return await open()
      } catch (error) {
        this.outside.logged(this, 'error', 'a process could not start', { error: String(error) })
        await sleep(restart_ms)
      }
    }
  }

  /** Handles a request. */
  handle(sent: Sent, answered: (answer: Answer) => void): void {
    const { services } = this
    const request = toRequest(sent, services.clock.now())
    const route = router.find(sent.method, request.path)
    if (route === null) throw new Error(`There is no ${sent.method} ${sent.url}.`)
    this.underWay++
    void answer(services, route.value, request, route.params).then((made) => {
      if (!this.life.alive) return
      this.outside.charged(sent.key, request.receivedAt, made, made.headers['Idempotent-Replayed'] === 'true')
      answered(made)
      if (sent.method !== 'GET') this.reach('after_answer')
      if (--this.underWay === 0) this.idle()
    })
  }

  /** Runs product code in this process. */
  perform<T>(what: string, work: (services: OpenServices) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.outside.timeline.after(0, what, this.life, () => void work(this.services).then(resolve, reject))
    })
  }

  /** Calls `farewell` when the process has ended, however. Returns a function that cancels this. */
  onEnd(farewell: () => void): () => void {
    this.farewells.add(farewell)
    return () => this.farewells.delete(farewell)
  }

  /** Calls `act` at the point, after it has been passed `times` times. */
  strikeAt(point: Point, times: number, act: () => void): void {
    this.strike = { point, times, act }
  }

  /** Cancels `strikeAt`. */
  cancelStrike(): void {
    this.strike = null
  }

  /** The process is at a point: strikes there if armed. */
  reach(point: Point): void {
    const { strike } = this
    if (strike?.point !== point || --strike.times >= 0) return
    this.strike = null
    strike.act()
  }

  /** From now on nothing it does has any effect. */
  kill(): void {
    this.end()
  }

  /** Shuts down cleanly, as on a signal. */
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
    pieces: (bytes_max: number) => piecesOf(bytes, bytes_max),
    ip: '127.0.0.1',
    receivedAt: now,
  }
}
