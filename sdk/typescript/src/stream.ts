/**
 * The event stream: `for await (const event of atrium.events.stream({ types: ['workflow.task.*'] }))`. A connection that
 * ends, breaks or goes silent is reopened after the last event: from its first opening on there are no gaps and no
 * duplicates. A stream without a last event first looks up the newest one in the log; otherwise events during a loss of the
 * first connection would be missed.
 */
import type { Call, WithResponse } from './call.ts'
import { Deadline } from './deadline.ts'
import { ApiError, AtriumError, ConnectionError } from './errors.ts'
import type { ListEnvelope } from './list.ts'
import { defaults, type StreamOptions } from './options.ts'
import type { Outgoing } from './request.ts'
import { type RetryPolicy, retrying } from './retry.ts'
import { type Frame, SseParser } from './sse.ts'

interface StreamedEvent {
  readonly id: string
  readonly type: string
}

interface Connection {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  readonly deadline: Deadline
  readonly parser: SseParser
}

/** The part of the transport that a stream uses. */
interface StreamTransport {
  call<T>(outgoing: Outgoing, options: { readonly signal: AbortSignal; readonly maxRetries: number }): Call<T>
  connect(outgoing: Outgoing, lastEventId: string | null, deadline: Deadline, attempt: number): Promise<Response>
  policy(outgoing: Outgoing, options: { readonly signal: AbortSignal }): RetryPolicy
}

const day_ms = 86_400_000

export class EventStream<E extends StreamedEvent> implements AsyncIterable<E> {
  readonly #transport: StreamTransport
  readonly #outgoing: Outgoing
  readonly #log: string
  readonly #options: StreamOptions
  readonly #closing = new AbortController()
  #position: string | null
  /** Whether the position is known; it is `null` if the log was empty. */
  #anchored: boolean
  #connection: Connection | null = null
  #opening: Promise<Connection> | null = null
  #wasOpen = false
  #seen_at = 0
  #retry_ms: number = defaults.back_off_ms
  /** Events read from the log, to be yielded before those of the connection. */
  #fromLog: E[] = []
  #isRead = false

  constructor(transport: StreamTransport, outgoing: Outgoing, log: string, options: StreamOptions) {
    this.#transport = transport
    this.#outgoing = outgoing
    this.#log = log
    this.#options = options
    this.#position = options.lastEventId ?? null
    this.#anchored = this.#position !== null
  }

  /** Id of the last yielded event, or of the event after which the stream started. Store it to resume later. */
  get lastEventId(): string | null {
    return this.#position
  }

  /** Opens the stream: all later events will be yielded. Iterating opens it too. */
  async open(): Promise<this> {
    if (this.#connection !== null) return this
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null
    })
    this.#connection = await this.#opening
    return this
  }

  /** Ends the stream; a running iteration ends without an error. */
  close(): void {
    this.#closing.abort()
    this.#disconnect()
  }

  /** One iteration at a time. Leaving a loop closes the connection; another loop resumes after the last event. */
  async *[Symbol.asyncIterator](): AsyncGenerator<E, void, undefined> {
    if (this.#isRead) throw new AtriumError('Another loop is already reading this stream.')
    this.#isRead = true
    try {
      while (!this.#closing.signal.aborted) {
        await this.open()
        for (let event = this.#fromLog.shift(); event !== undefined; event = this.#fromLog.shift()) yield event
        for await (const { id, data } of this.#frames()) {
          if (id !== '') this.#position = id
          yield JSON.parse(data) as E
        }
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error
    } finally {
      this.#isRead = false
      this.#disconnect()
    }
  }

  /** The frames of one connection. Ends with the connection; throws only the caller's own abort. */
  async *#frames(): AsyncGenerator<Frame, void, undefined> {
    const connection = this.#connection
    if (connection === null) return
    const { reader, deadline, parser } = connection
    try {
      for (;;) {
        deadline.renew()
        const { done, value } = await reader.read()
        deadline.pause()
        if (done) return
        this.#seen_at = Date.now()
        const frames = parser.take(value)
        this.#retry_ms = parser.retry ?? this.#retry_ms
        yield* frames
      }
    } catch (error) {
      const reason = deadline.explain(error)
      if (!(reason instanceof ConnectionError)) throw reason
    } finally {
      this.#disconnect()
    }
  }

  #disconnect(): void {
    const connection = this.#connection
    this.#connection = null
    connection?.reader.cancel().catch(() => {})
    connection?.deadline.done(true)
  }

  async #connect(): Promise<Connection> {
    const signal = this.#signal()
    const policy = this.#transport.policy(this.#outgoing, { signal })
    const reconnects = this.#options.maxReconnects ?? Number.POSITIVE_INFINITY
    const patient = this.#wasOpen ? { retries: reconnects, base_ms: this.#retry_ms } : {}
    const connection = await retrying((attempt) => this.#connectOnce(attempt, signal), { ...policy, ...patient })
    this.#wasOpen = true
    this.#seen_at = Date.now()
    return connection
  }

  async #connectOnce(attempt: number, signal: AbortSignal): Promise<Connection> {
    await this.#findPosition(signal)
    const deadline = new Deadline(this.#options.heartbeatTimeout ?? defaults.heartbeat_ms, signal)
    try {
      const response = await this.#transport.connect(this.#outgoing, this.#position, deadline, attempt)
      if (response.body === null) throw new ConnectionError('The stream has no body.')
      deadline.pause()
      const connection = { reader: response.body.getReader(), deadline, parser: new SseParser() }
      if (this.#position !== null || (await this.#events(signal, 1)).data.length === 0) return connection
      // The log was empty and now has an event. This connection may have started before or after it, so try again.
      throw new ConnectionError('The first event came while the stream was opened.')
    } catch (error) {
      deadline.done(true)
      const reason = deadline.explain(error)
      this.#forgetExpired(reason)
      throw reason
    }
  }

  /** First the newest event; if the log was empty or has dropped the last event, the oldest one, and everything is new. */
  async #findPosition(signal: AbortSignal): Promise<void> {
    if (!this.#anchored) {
      const [newest] = (await this.#events(signal, 1)).data
      this.#position = newest?.id ?? null
      this.#anchored = true
    } else if (this.#position === null) {
      let page = await this.#events(signal, 100)
      while (page.next_cursor !== null) page = await this.#events(signal, 100, page.next_cursor)
      const oldest = page.data.at(-1)
      if (oldest === undefined) return
      this.#position = oldest.id
      if (this.#subscribes(oldest.type)) this.#fromLog.push(oldest)
    }
  }

  /** Forgets a last event that is no longer retained. If the stream was open within a day, no other event can be lost. */
  #forgetExpired(error: unknown): void {
    if (!(error instanceof ApiError) || error.code !== 'resource_deleted') return
    if (!this.#wasOpen || Date.now() - this.#seen_at > day_ms) return
    this.#position = null
    throw new ConnectionError('The last event is no longer retained.', { cause: error })
  }

  async #events(signal: AbortSignal, limit: number, cursor?: string): Promise<ListEnvelope<E>> {
    const outgoing: Outgoing = { method: 'GET', path: this.#log, params: { limit, cursor }, body: false }
    const call = this.#transport.call<ListEnvelope<E>>(outgoing, { signal, maxRetries: 0 })
    const { data }: WithResponse<ListEnvelope<E>> = await call.withResponse()
    return data
  }

  #subscribes(type: string): boolean {
    const { types = [] } = (this.#outgoing.params ?? {}) as { types?: readonly string[] }
    return types.some((pattern) => pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1))))
  }

  #signal(): AbortSignal {
    const { signal } = this.#options
    return signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, signal])
  }
}
