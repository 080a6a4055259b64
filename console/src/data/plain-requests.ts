/** Requests to `/v1` whose answers are wanted whatever their status, such as those of an import. */
import { connectionLost, isNetworkFailure } from './connection.ts'
import type { Mode } from './shapes.ts'
import { fetchWithToken } from './tokens.ts'

const request_ms_max = 60_000

export interface PlainRequest {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface PlainAnswer {
  readonly status: number
  readonly body: unknown
  /** Seconds, where the server says when to come back. */
  readonly retryAfter: number | null
}

/**
 * Sends a request once as the signed-in user, with `api:manage` if `manage`. Null if no answer came. Rejects if there is no
 * session any longer, or if `manage` requires a step-up.
 */
export async function sendPlain(mode: Mode, request: PlainRequest, manage = false): Promise<PlainAnswer | null> {
  const { method, path, body } = request
  const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...request.headers }
  try {
    const init = { method, headers, signal: AbortSignal.timeout(request_ms_max) }
    const answer = await fetchWithToken(path, body === undefined ? init : { ...init, body }, mode, manage)
    const retry = answer.headers.get('retry-after')
    return {
      status: answer.status,
      body: await answer.json().catch(() => undefined),
      retryAfter: retry === null || !/^\d{1,9}$/.test(retry) ? null : Number(retry),
    }
  } catch (error) {
    if (isNetworkFailure(error)) connectionLost()
    else if (!(error instanceof DOMException)) throw error
    return null
  }
}
