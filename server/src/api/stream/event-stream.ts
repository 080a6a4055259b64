/**
 * Runs one event stream: frames, heartbeats, and its end. A consumer that does not read is disconnected at 1 MiB unread or
 * after 30 s without progress (contract/12#slow-consumers).
 */
import type { EventRow } from '../../db/schema.ts'
import type { Caller } from '../declare/caller.ts'
import { subscribes } from '../declare/event.ts'
import type { StreamSink } from '../declare/request.ts'
import { limits } from '../limits.ts'
import type { Services } from '../services.ts'
import type { LogPosition } from './log.ts'
import { showEvent } from './shape.ts'

export interface Subscription {
  readonly caller: Caller
  readonly patterns: readonly string[]
  readonly version: string
  /** The stream begins after this event. */
  readonly after: LogPosition
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
    services.credentials.isStillValid(caller, services.clock.now()).then(
      (stands) => stands || finish('end'),
      () => {},
    )
  }, limits.stream_credential_check_ms)
  const whole = setTimeout(() => finish('end'), limits.stream_ms)
  const release = services.streams.add(caller, () => finish('end'))
  sink.onClose(() => finish('none'))
  write(`retry: ${limits.stream_retry_ms}\n: connected\n\n`)
  const ready = () => canTakeMore(sink, () => over)
  const { realm, storeScope: scope } = caller
  const listening = services.feed.listen({ realm, scope, after: subscription.after }, deliver, ready, () =>
    finish('end'),
  )
  listening.then(
    (unlisten) => {
      stop = unlisten
      if (over) unlisten()
    },
    () => finish('destroy'),
  )
}

/** Waits until most of what was written is read. Returns false if the stream ended. */
async function canTakeMore(sink: StreamSink, isOver: () => boolean): Promise<boolean> {
  while (!isOver() && sink.pending() > limits.stream_behind_bytes_max / 4)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return !isOver()
}

function frame(services: Services, row: EventRow, caller: Caller, version: string): string {
  const event = services.versions.downgradeEvent(version, showEvent(row, caller))
  return `id: ${row.id}\nevent: ${row.type}\ndata: ${JSON.stringify(event)}\n\n`
}
