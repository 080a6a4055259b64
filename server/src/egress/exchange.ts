/**
 * One request over a connection to one of the checked addresses, bounded in time and size. A kept connection serves the
 * next request of the same owner to the same host and the same checked addresses, and no other: what a receiver leaves
 * in it cannot mislead another owner. It is kept briefly, and only after an answer that was read to its end.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { egress_limits } from './limits.ts'

export interface EgressRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly total_ms: number
  readonly connect_ms: number
  readonly response_bytes_max: number
  /** Whose connections the request may reuse and leave behind. Without an owner it has its own connection. */
  readonly owner?: string
  /** Called when the whole request has been handed to the operating system, which may never happen. */
  readonly sent?: (reused: boolean) => void
}

/** `unreachable`: name, address or connection; `tls`; `timeout`: connected, but too slow; `protocol`: not HTTP. */
export type EgressFailure = 'unreachable' | 'tls' | 'timeout' | 'protocol'

export type EgressResult =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** At most `response_bytes_max`. */
      readonly body: Buffer
      /** The connection stays open for the owner's next request. */
      readonly kept?: boolean
    }
  | { readonly ok: false; readonly failure: EgressFailure }

/** What the connections of a pool share besides what Node compares: owner and addresses. */
interface Pooled {
  readonly pool?: string
}

const keeping = { keepAlive: true, maxFreeSockets: 1, timeout: egress_limits.egress_kept_ms }

class KeptHttp extends HttpAgent {
  override getName(options?: object): string {
    return `${super.getName(options)} ${(options as Pooled).pool}`
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Node returns a boolean, which its type does not say.
    return hasRoom(this) && Boolean(super.keepSocketAlive(socket))
  }
}

class KeptHttps extends HttpsAgent {
  override getName(options?: object): string {
    return `${super.getName(options)} ${(options as Pooled).pool}`
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Node returns a boolean, which its type does not say.
    return hasRoom(this) && Boolean(super.keepSocketAlive(socket))
  }
}

/** Node counts an agent's sockets, but not in its types. */
function hasRoom(agent: HttpAgent): boolean {
  return (agent as HttpAgent & { totalSocketCount: number }).totalSocketCount <= egress_limits.egress_kept_max
}

/** How a kept connection fails after the other end closed it. */
const closed_codes = new Set(['ECONNRESET', 'EPIPE'])

/** The open connections of this process to other hosts. */
export class Exchanges {
  private readonly kept = { http: new KeptHttp(keeping), https: new KeptHttps(keeping) }

  /** Rejects with an error that `failureOf` classifies. */
  async exchange(options: EgressRequest, addresses: readonly string[], started: number): Promise<EgressResult> {
    const { owner } = options
    if (owner === undefined) return await exchangeOver(false, options, addresses, started)
    const pool = JSON.stringify([owner, ...addresses.toSorted()])
    try {
      const agent = options.url.protocol === 'https:' ? this.kept.https : this.kept.http
      return await exchangeOver(agent, { ...options, pool }, addresses, started)
    } catch (error) {
      // The other end closed it, as it may at any time, probably before it took the request. Receivers must therefore
      // accept a request twice, as those of webhooks do (contract/11#guarantee).
      if (!(error instanceof WasClosed)) throw error
      return await exchangeOver(false, options, addresses, started)
    }
  }
}

function exchangeOver(
  agent: HttpAgent | false,
  options: EgressRequest & Pooled,
  addresses: readonly string[],
  started: number,
): Promise<EgressResult> {
  const secure = options.url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let connected = false
    let ready = false
    const request = (secure ? httpsRequest : httpRequest)(optionsOf(agent, options, addresses))
    const give = (error: Error): void => {
      clearTimeout(connecting)
      clearTimeout(whole)
      request.destroy()
      reject(error)
    }
    const left = () => Math.max(1, options.total_ms - (performance.now() - started))
    const connecting = setTimeout(() => give(new Unreachable('connect')), Math.min(options.connect_ms, left()))
    const whole = setTimeout(() => give(new SlowAnswer('total')), left())
    const isReady = (): void => {
      clearTimeout(connecting)
      ready = true
    }
    request.on('socket', (socket) => {
      connected = request.reusedSocket
      if (request.reusedSocket) return isReady()
      socket.once(secure ? 'secureConnect' : 'connect', isReady)
      socket.once('connect', () => {
        connected = true
      })
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (!connected) give(new Unreachable(error.message))
      else if (request.reusedSocket && closed_codes.has(error.code ?? '')) give(new WasClosed())
      else give(ready ? new NoHttp(error.message) : new NoTls(error.message))
    })
    request.on('response', (response) => {
      readBounded(response, options.response_bytes_max).then((body) => {
        clearTimeout(whole)
        const kept = agent !== false && response.complete && request.shouldKeepAlive
        if (!kept) request.destroy()
        resolve({ ok: true, status: response.statusCode ?? 0, headers: response.headers, body, kept })
      }, give)
    })
    request.on('finish', () => options.sent?.(request.reusedSocket))
    request.end(options.body)
  })
}

function optionsOf(agent: HttpAgent | false, options: EgressRequest & Pooled, addresses: readonly string[]) {
  const { url } = options
  const secure = url.protocol === 'https:'
  return {
    host: bareHost(url),
    lookup: pinnedTo(addresses),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: options.method,
    headers: {
      ...options.headers,
      Host: url.host,
      'Content-Length': String(Buffer.byteLength(options.body)),
      Connection: agent === false ? 'close' : 'keep-alive',
    },
    agent,
    pool: options.pool,
    maxHeaderSize: egress_limits.egress_header_bytes_max,
    ...(secure && isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
  }
}

/** The host without the brackets of an IPv6 literal and without a final dot. */
export function bareHost(url: URL): string {
  return url.hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

export class Unreachable extends Error {}

class WasClosed extends Error {}

class NoTls extends Error {}

class NoHttp extends Error {}

class SlowAnswer extends Error {}

/** A look-up that always returns the checked addresses. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, done) => {
    const [first] = found
    if (options.all) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }
}

/** The first bytes of a body; stops reading at `bytes_max`. */
async function readBounded(response: IncomingMessage, bytes_max: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  if (bytes_max === 0) return Buffer.alloc(0)
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= bytes_max) break
  }
  return Buffer.concat(chunks).subarray(0, bytes_max)
}

export function failureOf(error: unknown): EgressFailure {
  if (error instanceof Unreachable) return 'unreachable'
  if (error instanceof SlowAnswer) return 'timeout'
  return error instanceof NoTls ? 'tls' : 'protocol'
}
