/**
 * The live event stream. All tabs of a browser share one stream, because browsers limit connections per host and the
 * server limits streams per session. The tab that holds a Web Lock reads the stream and broadcasts its events; when it
 * closes, another tab continues after the last event, so none is missed.
 */
import { ApiError, type AtriumEvent } from '@atrium/sdk'
import { useEffect } from 'react'
import { createStore, useStore } from '../lib/store.ts'
import { connectionLost, isNetworkFailure } from './connection.ts'
import { applyEvent, isWriting, refreshAll } from './live-cache.ts'
import { currentSession } from './session-store.ts'
import type { Mode } from './shapes.ts'
import { clientOf } from './tokens.ts'

export type LiveState = 'connecting' | 'live' | 'broken'

const backoff_ms_min = 2000
const backoff_ms_max = 60_000
/** How old a guest's page may be. */
const guest_poll_ms = 15_000

const state = createStore<LiveState>('connecting')
const handlers = new Set<(event: AtriumEvent) => void>()

export function useLiveState(): LiveState {
  return useStore(state)
}

/** Calls `handler` with every live event, after the cache has been updated. */
export function useEvents(handler: (event: AtriumEvent) => void): void {
  useEffect(() => {
    handlers.add(handler)
    return () => {
      handlers.delete(handler)
    }
  }, [handler])
}

/** The newest event of this page, for parts of the page that are loaded after it. */
let newest: AtriumEvent | undefined

export function newestEvent(): AtriumEvent | undefined {
  return newest
}

interface Message {
  readonly event?: AtriumEvent
  readonly state?: LiveState
}

/** Follows the events of a mode. Returns a function that stops. */
export function follow(mode: Mode): () => void {
  const session = currentSession()
  if (!session?.signed_in) return () => {}
  newest = undefined
  if (session.role === 'guest') return poll(mode)
  const name = `atrium-live ${session.account.id} ${session.organization.id} ${mode}`
  const channel = new BroadcastChannel(name)
  const controller = new AbortController()
  const position: { id: string | undefined } = { id: undefined }
  const receive = ({ event, state: next }: Message) => {
    if (next !== undefined) state.set(next)
    if (event === undefined) return
    position.id = event.id
    newest = event
    applyEvent(mode, event)
    for (const handler of handlers) handler(event)
  }
  const broadcast = (message: Message) => {
    receive(message)
    channel.postMessage(message)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => receive(data)
  state.set('connecting')
  const lead = () => readStream(mode, controller.signal, position, broadcast)
  if (navigator.locks === undefined) void lead()
  else navigator.locks.request(name, { signal: controller.signal }, lead).catch(() => {})
  return () => {
    controller.abort()
    channel.close()
  }
}

/**
 * The stream has events of the whole organization, so it is not for guests: their pages are read again while they are looked at.
 */
function poll(mode: Mode): () => void {
  state.set('live')
  const read = () => {
    if (document.visibilityState === 'visible' && !isWriting(mode)) refreshAll(mode)
  }
  const timer = setInterval(read, guest_poll_ms)
  document.addEventListener('visibilitychange', read)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', read)
  }
}

/** Reads the stream until the signal aborts, and reconnects with backoff. */
async function readStream(
  mode: Mode,
  signal: AbortSignal,
  position: { id: string | undefined },
  broadcast: (message: Message) => void,
): Promise<void> {
  for (let backoff = backoff_ms_min; !signal.aborted; backoff = Math.min(backoff_ms_max, backoff * 2)) {
    try {
      const stream = clientOf(mode).events.stream({ types: ['*'] }, { lastEventId: position.id, signal })
      await stream.open()
      broadcast({ state: 'live' })
      position.id = stream.lastEventId ?? undefined
      for await (const event of stream) broadcast({ event })
    } catch (error) {
      if (signal.aborted) return
      broadcast({ state: 'broken' })
      if (isNetworkFailure(error)) connectionLost()
      if (error instanceof ApiError && error.status === 410) {
        // The last event is no longer retained, so events were missed.
        position.id = undefined
        refreshAll(mode)
      }
      if (!currentSession()?.signed_in) return
      await pause(backoff, signal)
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
