/**
 * Follows the event log live over any number of connections: each event exactly once. Invariant: a new connection
 * resumes after the last event that was printed, so events from the time without a connection come first
 * (contract/12#resumption).
 */

import { exit, failureOf } from '../client/exit-codes.ts'
import { type Client, reasonOf } from '../client/http.ts'
import { type Reply, readReply } from '../client/reply.ts'
import { endWithReader, writeOut } from '../client/write-out.ts'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { framesOf } from './frames.ts'
import { lineOf, type ShownEvent } from './line.ts'

export interface Following {
  readonly types: readonly string[]
  /** Begin after this event; null: after the newest. */
  readonly since: string | null
  /** End after this number of events; null: never. */
  readonly count: number | null
  /** A readable line for each instead of JSON. */
  readonly people: boolean
  /** Which of the received events are printed. */
  readonly wanted?: (event: ShownEvent) => boolean
}

/** Prints events until the limit is reached or a signal arrives; both are a success. */
export async function follow(client: Client, following: Following): Promise<void> {
  endWithReader()
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const follower = new Follower(client, following, stopping.signal)
  try {
    await follower.run()
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
  if (following.people && follower.last !== null) {
    process.stderr.write(`The last event was ${follower.last}. --since ${follower.last} continues after it.\n`)
  }
}

class Follower {
  /** The last event seen: the next connection begins after it. */
  last: string | null
  private sequence = 0
  private left: number
  /** Short until there was a connection; then as the server says. */
  private pause_ms: number = cli_limits.client_pause_ms
  private connected = false
  private failures = 0
  private readonly client: Client
  private readonly following: Following
  private readonly stopped: AbortSignal

  constructor(client: Client, following: Following, stopped: AbortSignal) {
    this.client = client
    this.following = following
    this.stopped = stopped
    this.last = following.since
    this.left = following.count ?? Number.POSITIVE_INFINITY
  }

  async run(): Promise<void> {
    if (this.last === null) this.last = await this.latest()
    while (this.left > 0 && !this.stopped.aborted) {
      const trouble = await this.connection()
      if (this.left <= 0 || this.stopped.aborted) return
      await this.wait(trouble)
    }
  }

  /** The newest event there is. */
  private async latest(): Promise<string | null> {
    return (await this.page('limit=1')).data[0]?.id ?? null
  }

  private async page(query: string): Promise<{ data: ShownEvent[]; next_cursor: string | null }> {
    const reply = await this.client.send({ method: 'GET', path: `/v1/events?${query}` })
    if (reply.status !== 200) throw failureOf(reply)
    return reply.body as { data: ShownEvent[]; next_cursor: string | null }
  }

  /** One connection to its end. Returns what went wrong, or null if the server closed it normally. */
  private async connection(): Promise<string | null> {
    if (this.last === null) await this.takeOldest()
    if (this.left <= 0) return null
    const ending = new AbortController()
    const silence = setTimeout(() => ending.abort(), cli_limits.stream_silent_ms)
    try {
      const answer = await this.open(AbortSignal.any([this.stopped, ending.signal]))
      if (answer.status !== 200) return await this.refused(await readReply(answer))
      this.connected = true
      if (this.last === null && answer.headers.get('etag') !== 'W/"0"') {
        // Something happened between the look at the log and this connection.
        ending.abort()
        await this.takeOldest()
        this.pause_ms = 0
        return null
      }
      if (answer.body !== null) await this.read(answer.body, silence)
      return null
    } catch (error) {
      if (error instanceof Failure || this.stopped.aborted) throw error
      if (!this.connected && this.failures >= cli_limits.client_retries_default) {
        throw new Failure(`${this.client.target.url} cannot be reached: ${reasonOf(error)}.`, exit.unavailable)
      }
      this.failures++
      return ending.signal.aborted ? `no data for ${cli_limits.stream_silent_ms / 1000} s` : reasonOf(error)
    } finally {
      clearTimeout(silence)
      ending.abort()
    }
  }

  private async open(signal: AbortSignal): Promise<Response> {
    const query = new URLSearchParams(this.following.types.map((type) => ['types[]', type]))
    return await fetch(`${this.client.target.url}/v1/events/stream?${query}`, {
      headers: this.client.headers({
        accept: 'text/event-stream',
        ...(this.last === null ? {} : { 'last-event-id': this.last }),
      }),
      redirect: 'manual',
      signal,
    })
  }

  /** Waits after a temporary refusal; any other ends the command. */
  private async refused(reply: Reply): Promise<string> {
    const passes = reply.status === 429 || reply.status >= 500
    if (!passes || (reply.status === 503 && reply.retryAfter === null)) throw failureOf(reply)
    this.failures++
    if (reply.retryAfter !== null) this.pause_ms = reply.retryAfter * 1000
    return `the server answered ${reply.status}`
  }

  private async read(bytes: AsyncIterable<Uint8Array>, silence: NodeJS.Timeout): Promise<void> {
    for await (const { id, data, retry } of framesOf(heard(bytes, () => silence.refresh()))) {
      this.failures = 0
      if (retry !== null) this.pause_ms = retry
      if (data === '') continue
      await this.take(JSON.parse(data) as ShownEvent, id)
      if (this.left <= 0) return
    }
  }

  private async take(event: ShownEvent, id: string | null = event.id): Promise<void> {
    if (event.sequence <= this.sequence) return
    if (this.following.wanted?.(event) ?? true) {
      await writeOut(this.following.people ? `${lineOf(event)}\n` : `${JSON.stringify(event)}\n`)
      this.left--
    }
    this.sequence = event.sequence
    this.last = id ?? event.id
  }

  /** If the log was empty at first: its oldest event is new, and the stream continues after it. */
  private async takeOldest(): Promise<void> {
    let oldest: ShownEvent | undefined
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await this.page(`limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      oldest = page.data.at(-1) ?? oldest
      cursor = page.next_cursor
    }
    if (oldest === undefined) return
    if (this.following.types.some((pattern) => takes(pattern, oldest.type))) await this.take(oldest)
    else this.last = oldest.id
  }

  private async wait(trouble: string | null): Promise<void> {
    const grown = this.pause_ms * 2 ** Math.min(Math.max(0, this.failures - 1), 4)
    const bound = Math.min(grown, Math.max(cli_limits.stream_pause_ms_max, this.pause_ms))
    if (trouble !== null && this.failures === 1 && this.connected) {
      process.stderr.write(`atrium: The stream was interrupted (${trouble}). Reconnecting.\n`)
    }
    await quiet(bound / 2 + (Math.random() * bound) / 2, this.stopped)
  }
}

/** A pattern as `types[]` takes it: exact, `area.object.*`, `*`. */
function takes(pattern: string, type: string): boolean {
  return pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
}

async function* heard(bytes: AsyncIterable<Uint8Array>, hear: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hear()
    yield chunk
  }
}

function quiet(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      stopped.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stopped.addEventListener('abort', end)
    if (stopped.aborted) end()
  })
}
