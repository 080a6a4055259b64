/**
 * Prism as a validating proxy in front of a server: it checks every request and response against `docs/openapi.json`, passes
 * both on unchanged, and reports violations in a response header.
 *
 * A relay between Prism and the server does two things that Prism cannot: it ends a stream after its first bytes, because Prism
 * waits for the whole response, and it damages the response to a request that asks for it. Prism silently skips a schema that it
 * cannot compile (stoplightio/prism#2442), so only a damaged response proves that it checks.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer as createPrism } from '@stoplight/prism-http-server'
import type { Reply } from '../call.ts'

/** Asks the relay to remove `object` and `error` from the response; every response requires one of the two. */
export const damage_header = 'x-damage'

interface Violation {
  readonly location: readonly string[]
  readonly severity: string
  readonly code: string
  readonly message: string
}

export interface PrismProxy {
  readonly url: string
  close(): Promise<void>
}

/** Opens a proxy that checks traffic against a document, given as an object or the path of a file. */
export async function openPrism(document: string | object, server: string): Promise<PrismProxy> {
  const relay = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    relayRequest(server, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const prism = createPrism(await getHttpOperationsFromSpec(document), {
    components: { logger: createLogger('prism', { level: 'silent' }) },
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`),
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      mock: { dynamic: false },
      errors: false,
      upstreamProxy: undefined,
    },
  })
  const url = await prism.listen(0, '127.0.0.1')
  return {
    url,
    async close() {
      await prism.close()
      await stop(relay)
    },
  }
}

async function stop(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/** The violations that Prism found in the request or in the response. */
export function violationsOf(reply: Reply, part: 'request' | 'response'): string[] {
  const reported = reply.headers['sl-violations']
  if (reported === undefined) return []
  if (reported.startsWith('Too many violations!')) return [reported]
  return (JSON.parse(reported) as Violation[])
    .filter(({ location }) => location[0] === part)
    .map(({ location, message }) => `${location.join('.')}: ${message}`)
}

const connection_headers = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  // `fetch` decompresses the answer.
  'content-encoding',
]

async function relayRequest(server: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const ending = new AbortController()
  const body = Buffer.concat(await request.toArray())
  const answer = await fetch(server + request.url, {
    method: request.method ?? 'GET',
    headers: without(request.headers) as Record<string, string>,
    body: body.length > 0 ? body : null,
    signal: ending.signal,
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const first = isStream ? (await answer.body?.getReader().read())?.value : await answer.bytes()
  ending.abort()
  const bytes = Buffer.from(first ?? [])
  const sent = request.headers[damage_header] === undefined ? bytes : damaged(bytes)
  response.writeHead(answer.status, { ...without(Object.fromEntries(answer.headers)), 'content-length': sent.length })
  response.end(sent)
}

function without(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !connection_headers.includes(name) && name !== damage_header)
  return Object.fromEntries(kept) as Record<string, string>
}

function damaged(bytes: Buffer): Buffer {
  const { object: _object, error: _error, ...rest } = JSON.parse(bytes.toString()) as Record<string, unknown>
  return Buffer.from(JSON.stringify(rest))
}
