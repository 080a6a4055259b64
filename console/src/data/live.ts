/**
 * The live stream. All tabs of a browser share one: a browser opens only a few connections to a server at once, and the
 * server gives a session only a few streams. The tab that holds the lock reads it and passes each event on; when it closes,
 * another goes on behind the last event, so that nothing is missed.
 */
import { ApiError, type AtriumEvent } from '@atrium/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { refreshAll, takeEvent } from './live-cache.ts'
import { currentSession } from './session-store.ts'
import type { Mode } from './shapes.ts'
import { clientOf } from './tokens.ts'

export type LiveState = 'connecting' | 'live' | 'broken'

const wait_ms_min = 2000
const wait_ms_max = 60_000

let state: LiveState = 'connecting'
const watchers = new Set<() => void>()
const handlers = new Set<(event: AtriumEvent) => void>()

function setState(next: LiveState): void {
  state = next
  for (const watcher of watchers) watcher()
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
}

/** Is handed every event as it happens, after what was read has changed with it. */
export function useEvents(handler: (event: AtriumEvent) => void): void {
  useEffect(() => {
    handlers.add(handler)
    return () => {
      handlers.delete(handler)
    }
  }, [handler])
}

interface Message {
  readonly event?: AtriumEvent
  readonly state?: LiveState
}

/** Follows the events of a mode until the returned function is called. */
export function follow(mode: Mode): () => void {
  const session = currentSession()
  if (!session?.signed_in) return () => {}
  const name = `atrium-live ${session.account.id} ${session.organization.id} ${mode}`
  const channel = new BroadcastChannel(name)
  const over = new AbortController()
  const last: { id: string | undefined } = { id: undefined }
  const take = ({ event, state: told }: Message) => {
    if (told !== undefined) setState(told)
    if (event === undefined) return
    last.id = event.id
    takeEvent(mode, event)
    for (const handler of handlers) handler(event)
  }
  const tell = (message: Message) => {
    take(message)
    channel.postMessage(message)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data)
  setState('connecting')
  const lead = () => readUntil(mode, over.signal, last, tell)
  if (navigator.locks === undefined) void lead()
  else navigator.locks.request(name, { signal: over.signal }, lead).catch(() => {})
  return () => {
    over.abort()
    channel.close()
  }
}

async function readUntil(
  mode: Mode,
  signal: AbortSignal,
  last: { id: string | undefined },
  tell: (message: Message) => void,
): Promise<void> {
  for (let wait = wait_ms_min; !signal.aborted; wait = Math.min(wait_ms_max, wait * 2)) {
    try {
      const stream = clientOf(mode).events.stream({ types: ['*'] }, { lastEventId: last.id, signal })
      await stream.open()
      tell({ state: 'live' })
      last.id = stream.lastEventId ?? undefined
      for await (const event of stream) tell({ event })
    } catch (error) {
      if (signal.aborted) return
      tell({ state: 'broken' })
      if (error instanceof ApiError && error.status === 410) {
        last.id = undefined
        refreshAll(mode)
      }
      if (!currentSession()?.signed_in) return
      await pause(wait, signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
