/**
 * A write that is not kept without a connection fails, and the person sends it again. Its answer may have been lost after
 * the server did it, so the same request carries the same idempotency key again, and the server does it once.
 */
import { isNetworkFailure } from './connection.ts'
import { onSessionChange } from './session-store.ts'

/** Unanswered writes whose keys are remembered. */
const unanswered_max = 50

/** Idempotency keys by request. */
const unanswered = new Map<string, string>()
onSessionChange(() => unanswered.clear())

type Send = (init: RequestInit | undefined) => Promise<Response>

/** Sends a write, with the key of its first attempt if that was not answered. */
export async function sendWithFirstKey(url: string, init: RequestInit | undefined, send: Send): Promise<Response> {
  const headers = new Headers(init?.headers)
  const own = headers.get('idempotency-key')
  if (own === null) return await send(init)
  const request = [init?.method, url, headers.get('if-match'), init?.body].join('\n')
  const key = unanswered.get(request) ?? own
  headers.set('idempotency-key', key)
  try {
    const response = await send({ ...init, headers })
    unanswered.delete(request)
    return response
  } catch (error) {
    if (isNetworkFailure(error)) remember(request, key)
    throw error
  }
}

function remember(request: string, key: string): void {
  unanswered.delete(request)
  unanswered.set(request, key)
  for (const [oldest] of unanswered) if (unanswered.size > unanswered_max) unanswered.delete(oldest)
}
