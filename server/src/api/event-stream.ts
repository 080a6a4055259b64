/**
 * One consumer of the event stream: frames, heartbeats, and the ends that it can come to. A consumer that does not read
 * is cut off before it costs memory: at 1 MiB unread, or 30 s without taking anything (decisions §12).
 */
import type { EventRow } from '../db/schema.ts'
import { limits } from '../lib/limits.ts'
import type { Caller } from './caller.ts'
import { subscribes } from './event.ts'
import { showEvent } from './event-shape.ts'
import type { StreamSink } from './request.ts'
import type { Services } from './services.ts'

export interface Subscription {
  readonly caller: Caller
  readonly patterns: readonly string[]
  readonly version: string
  /** The sequence behind which the stream begins. */
  readonly after: number
}

/** Runs a stream into a sink until one side ends it. */
export function runStream(services: Services, subscription: Subscription, sink: StreamSink): void {
  const { caller, patterns, version } = subscription
  let over = false
  let stop: (() => void) | null = null
  let blocked_since: number | null = null
  let lastPending = 0
  const finish = (how: 'end' | 'destroy' | 'none'): void => {
    if (over) return
    over = true
    clearInterval(heartbeat)
    clearInterval(recheck)
    clearTimeout(whole)
    clearInterval(watch)
    release()
    stop?.()
    if (how !== 'none') sink[how]()
  }
  const write = (text: string): void => {
    if (over) return
    sink.write(text)
    if (sink.pending() > limits.stream_behind_bytes_max) finish('destroy')
  }
  const deliver = (rows: readonly EventRow[]): void => {
    for (const row of rows) {
      if (over) return
      if (patterns.some((pattern) => subscribes(pattern, row.type))) write(frame(services, row, caller, version))
    }
  }
  const watch = setInterval(() => {
    const pending = sink.pending()
    if (pending === 0 || pending < lastPending) blocked_since = null
    else blocked_since ??= performance.now()
    lastPending = pending
    if (blocked_since !== null && performance.now() - blocked_since >= limits.stream_blocked_ms) finish('destroy')
  }, limits.stream_watch_ms)
  const heartbeat = setInterval(() => write(': \n\n'), limits.stream_comment_ms)
  const recheck = setInterval(() => {
    services.credentials.stands(caller, services.clock.now()).then(
      (stands) => stands || finish('end'),
      () => {},
    )
  }, limits.stream_credential_check_ms)
  const whole = setTimeout(() => finish('end'), limits.stream_ms)
  const release = services.streams.add(caller, () => finish('end'))
  sink.onClose(() => finish('none'))
  write(`retry: ${limits.stream_retry_ms}\n: connected\n\n`)
  const ready = async (): Promise<boolean> => {
    while (!over && sink.pending() > limits.stream_behind_bytes_max / 4)
      await new Promise((resolve) => setTimeout(resolve, 20))
    return !over
  }
  const place = { realm: caller.realm, scope: caller.storeScope, after: subscription.after }
  services.feed.listen(place, deliver, ready).then(
    (unlisten) => {
      stop = unlisten
      if (over) unlisten()
    },
    () => finish('destroy'),
  )
}

function frame(services: Services, row: EventRow, caller: Caller, version: string): string {
  const event = services.versions.downgradeEvent(version, showEvent(row, caller.mode))
  return `id: ${row.id}\nevent: ${row.type}\ndata: ${JSON.stringify(event)}\n\n`
}
