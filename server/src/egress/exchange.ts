/**
 * One request over a connection to one of the addresses that were checked, bounded in time and size.
 * A connection that is kept goes to the next request of the same owner for the same host and the same checked addresses,
 * and to no other: what a receiver leaves in it can mislead nobody else. It is kept shortly, and only behind an answer that
 * was read to its end.
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
  readonly body: string
  readonly total_ms: number
  readonly connect_ms: number
  readonly response_bytes_max: number
  /**
   * Whose connections it may take over and leave behind: the next request of the same owner to the same place goes on
   * over one. Left out, it has a connection of its own.
   */
  readonly owner?: string
  /** Called when the whole request has been handed to the operating system, which need not ever happen. */
  readonly sent?: (reused: boolean) => void
}

/** `unreachable`: name, address, connection; `tls`; `timeout`: connected, but too slow; `protocol`: not HTTP. */
export type EgressFailure = 'unreachable' | 'tls' | 'timeout' | 'protocol'

export type EgressResult =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** At most `response_bytes_max` of what came. */
      readonly body: Buffer
      /** The connection stays open for the next request of the same owner. */
      readonly kept?: boolean
    }
  | { readonly ok: false; readonly failure: EgressFailure }

/** What connections of a pool have in common besides what Node compares: owner and addresses. */
interface Pooled {
  readonly pool?: string
}

const keeping = { keepAlive: true, maxFreeSockets: 1, timeout: egress_limits.egress_kept_ms }

class KeptHttp extends HttpAgent {
  override getName(options?: object): string {
    return `${super.getName(options)} ${(options as Pooled).pool}`
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return hasRoom(this) && (super.keepSocketAlive(socket) as unknown as boolean)
  }
}

class KeptHttps extends HttpsAgent {
  override getName(options?: object): string {
    return `${super.getName(options)} ${(options as Pooled).pool}`
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return hasRoom(this) && (super.keepSocketAlive(socket) as unknown as boolean)
  }
}

/** Node counts the sockets of an agent and does not say so in its types. */
function hasRoom(agent: HttpAgent): boolean {
  return (agent as HttpAgent & { totalSocketCount: number }).totalSocketCount <= egress_limits.egress_kept_max
}

/** How a kept connection fails that the other end closed meanwhile. */
const closed_codes = new Set(['ECONNRESET', 'EPIPE'])

/** The open connections of this process to others. */
export class Exchanges {
  private readonly kept = { http: new KeptHttp(keeping), https: new KeptHttps(keeping) }

  /** Rejects with what `failureOf` tells apart. */
  async exchange(asked: EgressRequest, addresses: readonly string[], started: number): Promise<EgressResult> {
    const { owner } = asked
    if (owner === undefined) return await exchangeOver(false, asked, addresses, started)
    const pool = JSON.stringify([owner, ...addresses.toSorted()])
    try {
      const agent = asked.url.protocol === 'https:' ? this.kept.https : this.kept.http
      return await exchangeOver(agent, { ...asked, pool }, addresses, started)
    } catch (error) {
      // The other end closed it, as it may at any time, most likely before it took the request: whoever keeps connections
      // must not mind that a request comes twice, as webhooks do not (contract §8).
      if (!(error instanceof WasClosed)) throw error
      return await exchangeOver(false, asked, addresses, started)
    }
  }
}

function exchangeOver(
  agent: HttpAgent | false,
  asked: EgressRequest & Pooled,
  addresses: readonly string[],
  started: number,
): Promise<EgressResult> {
  const secure = asked.url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let connected = false
    let ready = false
    const request = (secure ? httpsRequest : httpRequest)(optionsOf(agent, asked, addresses))
    const give = (error: Error): void => {
      clearTimeout(connecting)
      clearTimeout(whole)
      request.destroy()
      reject(error)
    }
    const left = () => Math.max(1, asked.total_ms - (performance.now() - started))
    const connecting = setTimeout(() => give(new Unreachable('connect')), Math.min(asked.connect_ms, left()))
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
      readBounded(response, asked.response_bytes_max).then((body) => {
        clearTimeout(whole)
        const kept = agent !== false && response.complete && request.shouldKeepAlive
        if (!kept) request.destroy()
        resolve({ ok: true, status: response.statusCode ?? 0, headers: response.headers, body, kept })
      }, give)
    })
    request.on('finish', () => asked.sent?.(request.reusedSocket))
    request.end(asked.body)
  })
}

function optionsOf(agent: HttpAgent | false, asked: EgressRequest & Pooled, addresses: readonly string[]) {
  const { url } = asked
  const secure = url.protocol === 'https:'
  return {
    host: bareHost(url),
    lookup: pinnedTo(addresses),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: asked.method,
    headers: {
      ...asked.headers,
      Host: url.host,
      'Content-Length': String(Buffer.byteLength(asked.body)),
      Connection: agent === false ? 'close' : 'keep-alive',
    },
    agent,
    pool: asked.pool,
    maxHeaderSize: egress_limits.egress_header_bytes_max,
    ...(secure && isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
  }
}

/** The host without the brackets of an IPv6 literal or the dot at the end. */
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

/** Answers with the checked addresses, whoever asks for whatever. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, done) => {
    const [first] = found
    if (options.all) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }
}

/** The first bytes of a body; reading ends as soon as there are enough. */
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
