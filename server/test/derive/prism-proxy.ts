/**
 * Prism as a validating proxy in front of a server: every request and answer that goes through it is held against
 * `docs/openapi.json`. Prism says what it finds in a header of the answer, and passes on what it finds wrong.
 *
 * Between Prism and the server stands a relay, for two things that Prism cannot: it ends a stream after its first bytes,
 * because Prism waits for whole answers, and it spoils the answer to a request that asks for it. Prism says nothing at all
 * of a schema that it cannot compile (stoplightio/prism#2442), so that only a spoilt answer proves that it looks.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer as createPrism } from '@stoplight/prism-http-server'
import type { Reply } from '../call.ts'

/** Asks the relay to leave `object` out of the answer, which every answer and every error has or lacks. */
export const spoil_header = 'x-spoil'

export interface Violation {
  readonly location: readonly string[]
  readonly severity: string
  readonly code: string
  readonly message: string
}

export interface PrismProxy {
  readonly url: string
  close(): Promise<void>
}

/** A proxy that holds traffic against this document, a file or what it says. */
export async function openPrism(document: string | object, server: string): Promise<PrismProxy> {
  const relay = createServer((request, response) => {
    pass(server, request, response).catch((error: unknown) => response.destroy(error as Error))
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

/** What Prism found wrong with a request (`request`) or its answer (`response`). */
export function violationsOf(reply: Reply, of: 'request' | 'response'): string[] {
  const told = reply.headers['sl-violations']
  if (told === undefined) return []
  if (told.startsWith('Too many violations!')) return [told]
  return (JSON.parse(told) as Violation[])
    .filter(({ location }) => location[0] === of)
    .map(({ location, message }) => `${location.join('.')}: ${message}`)
}

const own_to_connection = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'accept-encoding']

async function pass(server: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  const sent = request.headers[spoil_header] === undefined ? bytes : spoilt(bytes)
  response.writeHead(answer.status, { ...without(Object.fromEntries(answer.headers)), 'content-length': sent.length })
  response.end(sent)
}

function without(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !own_to_connection.includes(name) && name !== spoil_header)
  return Object.fromEntries(kept) as Record<string, string>
}

function spoilt(bytes: Buffer): Buffer {
  const { object: _object, error: _error, ...rest } = JSON.parse(bytes.toString()) as Record<string, unknown>
  return Buffer.from(JSON.stringify(rest))
}
