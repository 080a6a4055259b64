/** The metadata of an answer: `(await atrium.tasks.create({…}).withResponse()).response`. */

/** One of the windows in which credits are counted. */
export interface CreditWindow {
  /** `minute`, `day` or `plan_day`. */
  name: string
  /** Size of the window in credits. */
  limit: number
  /** Length in seconds. */
  seconds: number
  remaining: number
  /** Seconds until it ends. */
  resets_in: number
}

export interface ResponseInfo {
  status: number
  headers: Headers
  /** Id of the request, assigned by the server; `atrium.requestLogs.retrieve(id)` shows it for seven days. */
  requestId: string | null
  /** API version of the answer. */
  version: string | null
  /** List price of the operation in credits; `null` if the answer does not say, as a 304. */
  cost: number | null
  etag: string | null
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  replayed: boolean
  /** Id of the request that first got a replayed answer; otherwise `null`. */
  originalRequest: string | null
  /** Seconds to wait before a retry. */
  retryAfter: number | null
  /** Every limited window of the credential. */
  windows: CreditWindow[]
  /** Number of attempts. */
  attempts: number
}

export function responseInfo({ status, headers }: Response, attempts: number): ResponseInfo {
  const number = (name: string) => {
    const text = headers.get(name)
    return text === null || !/^\d+$/.test(text) ? null : Number(text)
  }
  return {
    status,
    headers,
    requestId: headers.get('x-request-id'),
    version: headers.get('service-version'),
    cost: number('x-ratelimit-cost'),
    etag: headers.get('etag'),
    replayed: headers.get('idempotent-replayed') === 'true',
    originalRequest: headers.get('original-request'),
    retryAfter: number('retry-after'),
    windows: windowsOf(headers),
    attempts,
  }
}

/** `RateLimit-Policy: "minute";q=1000;w=60` and `RateLimit: "minute";r=990;t=40` */
function windowsOf(headers: Headers): CreditWindow[] {
  const left = new Map(parts(headers.get('ratelimit'), 'r', 't'))
  return parts(headers.get('ratelimit-policy'), 'q', 'w').flatMap(([name, [limit, seconds]]) => {
    const state = left.get(name)
    return state === undefined ? [] : [{ name, limit, seconds, remaining: state[0], resets_in: state[1] }]
  })
}

function parts(header: string | null, first: string, second: string): [string, [number, number]][] {
  const pattern = new RegExp(`"([^"]+)";${first}=(\\d+);${second}=(\\d+)`, 'g')
  return [...(header ?? '').matchAll(pattern)].map(([, name, a, b]) => [name as string, [Number(a), Number(b)]])
}
