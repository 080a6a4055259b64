/**
 * `/mcp`, streamable HTTP without sessions: one POST, one message, one answer. Before a message is looked at: no credential
 * in the URL, no foreign Origin (MCP's rule against DNS rebinding), a Bearer credential that stands, a body within its
 * limits. What is refused here is answered in the API's own envelope; from then on it is the protocol's.
 */
import { createMcpHandler, localhostAllowedOrigins, originValidationResponse } from '@modelcontextprotocol/server'
import { authenticate, refuseCredentialInUrl } from '../api/authenticate.ts'
import { Refusal } from '../api/errors.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { bodyBounds } from '../api/validate.ts'
import { limits } from '../lib/limits.ts'
import { type JsonValue, parseStrictJson } from '../lib/strict-json.ts'
import { LocalApi } from './local-api.ts'
import { createMcpServer } from './server.ts'

/** Rejects only for faults of this program. */
export async function answerMcp(services: Services, request: Request): Promise<Answer> {
  try {
    refuseCredentialInUrl(request)
    const bare = new globalThis.Request(`http://atrium${request.path}`, {
      method: request.method,
      headers: headersOf(request),
    })
    const foreign = originValidationResponse(bare, allowedHosts(services))
    if (foreign !== undefined) return await toAnswer(request, foreign)
    if (request.method !== 'POST') return await toAnswer(request, await unused.fetch(bare))
    const caller = await authenticate(request, services.credentials)
    const message = readMessage(await request.body())
    if ('fault' in message) return await toAnswer(request, protocolError(message.fault))
    const api = new LocalApi(services, request, caller)
    const handler = createMcpHandler(() => createMcpServer(api), {
      ...options,
      onerror: (error) => services.log.debug('mcp', { request: request.id, error: error.message }),
    })
    return await toAnswer(request, await handler.fetch(bare, { parsedBody: message.value }))
  } catch (error) {
    if (error instanceof Refusal) return refuseUnrouted(services, request, error)
    throw error
  }
}

/** An answer is sent whole: no stream stays open, neither for subscriptions (nothing here changes) nor to keep alive. */
const options = { maxSubscriptions: 0, keepAliveMs: 0 } as const

/** Answers the methods that only sessions have. */
const unused = createMcpHandler(() => {
  throw new Error('no message comes here')
}, options)

/** Pages of the installation itself; of a server on this machine every page of this machine. */
function allowedHosts({ settings }: Services): string[] {
  const own = new URL(settings.publicUrl).hostname
  const local = localhostAllowedOrigins()
  return local.includes(own) ? local : [own]
}

function headersOf(request: Request): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // The credential and cookies are nothing to the protocol.
    if (value === undefined || name === 'authorization' || name === 'cookie') continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

type Message = { readonly value: JsonValue } | { readonly fault: Fault }

interface Fault {
  readonly code: number
  readonly message: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** One JSON-RPC message; JSON as strict as in any body of the API. */
function readMessage(bytes: Buffer): Message {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { fault: { code: -32700, message: 'Parse error: the body is not valid UTF-8.' } }
  }
  const parsed = parseStrictJson(text, bodyBounds(limits.mcp_json_depth_max))
  if (!parsed.ok) return { fault: { code: -32700, message: `Parse error: ${parsed.message}` } }
  const { value } = parsed
  // Versions of the protocol since 2025-06-18 know no batches.
  if (Array.isArray(value))
    return { fault: { code: -32600, message: 'Batches are not accepted: send each message by itself.' } }
  return { value }
}

function protocolError(error: Fault): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}

async function toAnswer(request: Request, response: Response): Promise<Answer> {
  const headers: Record<string, string> = {
    ...Object.fromEntries(response.headers),
    'x-request-id': request.id,
    'cache-control': 'private, no-store',
    vary: 'Authorization, Origin',
  }
  // The answer is whole; what the connection does is not the protocol's to say.
  delete headers.connection
  return { status: response.status, headers, body: response.body === null ? null : await response.text() }
}
