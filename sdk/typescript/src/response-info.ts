/** What an answer says besides its body: `(await atrium.tasks.create({…}).withResponse()).response`. */

/** One of the windows in which credits are counted. */
export interface CreditWindow {
  /** `minute`, `day` or the plan's. */
  name: string
  /** Credits of the whole window. */
  limit: number
  /** Its length in seconds. */
  seconds: number
  remaining: number
  /** Seconds until it ends. */
  resets_in: number
}

export interface ResponseInfo {
  status: number
  headers: Headers
  /** The id of the request, made by the server; `atrium.requestLogs.retrieve(id)` tells of it for seven days. */
  requestId: string | null
  /** The version that the answer speaks. */
  version: string | null
  /** The list price of the operation in credits; `null` where nothing is told, as of what was not modified. */
  cost: number | null
  etag: string | null
  /** The kept answer of an earlier request with the same idempotency key. */
  replayed: boolean
  /** Of a replayed answer: the request that it was made for. */
  originalRequest: string | null
  /** Seconds after which trying again makes sense. */
  retryAfter: number | null
  /** Every limited window of the credential; empty where nothing is limited or told. */
  windows: CreditWindow[]
  /** How often the request was sent. */
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
