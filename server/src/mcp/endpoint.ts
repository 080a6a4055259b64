/**
 * `/mcp`: streamable HTTP without sessions. One POST carries one message and gets one answer. The message is read after
 * these checks, whose refusals use the API's envelope:
 *
 *   1. no credential in the URL
 *   2. no foreign Origin (the protocol's rule against DNS rebinding)
 *   3. a valid Bearer credential
 *   4. a known `tools` parameter
 *   5. a body within its limits
 */
import { createMcpHandler, localhostAllowedOrigins, originValidationResponse } from '@modelcontextprotocol/server'
import { Refusal, refuse } from '../api/declare/errors.ts'
import type { Answer, Request } from '../api/declare/request.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import { authenticate, refuseCredentialInUrl } from '../api/request/authenticate.ts'
import { bodyBounds } from '../api/request/validate.ts'
import type { Services } from '../api/services.ts'
import { type JsonValue, parseStrictJson } from '../lib/strict-json.ts'
import { readSelection } from './core-tools.ts'
import { mcp_limits } from './limits.ts'
import { LocalApi } from './local-api.ts'
import { createMcpServer } from './server.ts'

/** Rejects only on internal errors. */
export async function answerMcp(services: Services, request: Request): Promise<Answer> {
  try {
    refuseCredentialInUrl(request)
    const bare = new globalThis.Request(`http://atrium${request.path}`, {
      method: request.method,
      headers: headersOf(request),
    })
    const foreign = originValidationResponse(bare, allowedHosts(services))
    if (foreign !== undefined) return await toAnswer(request, foreign)
    if (request.method !== 'POST') return await toAnswer(request, await sessionMethods.fetch(bare))
    const caller = await authenticate(request, services.credentials, 'mcp')
    const lists = readSelection(request.rawQuery)
    const message = readMessage(await request.body())
    if ('fault' in message) return await toAnswer(request, protocolError(message.fault))
    const api = new LocalApi(services, request, caller)
    const handler = createMcpHandler(() => createMcpServer(api, { lists }), {
      ...options,
      onerror: (error) => services.log.debug('mcp', { request: request.id, error: error.message }),
    })
    return await toAnswer(request, await handler.fetch(bare, { parsedBody: message.value }))
  } catch (error) {
    if (error instanceof Refusal) return refuseUnrouted(services, request, withMetadata(services, error))
    throw error
  }
}

/** A 401 says where a program finds out how a person signs in to it (RFC 9728 §5.1). */
function withMetadata({ settings }: Services, refusal: Refusal): Refusal {
  if (refusal.status !== 401) return refusal
  const url = `${new URL(settings.publicUrl).origin}/.well-known/oauth-protected-resource/mcp`
  const headers = { ...refusal.options.headers, 'WWW-Authenticate': `Bearer resource_metadata="${url}"` }
  return refuse(refusal.code, { ...refusal.options, message: refusal.message, headers })
}

/** Every answer is complete: no stream stays open, for subscriptions (nothing here changes) or to keep alive. */
const options = { maxSubscriptions: 0, keepAliveMs: 0 } as const

/** Answers the methods that need a session. */
const sessionMethods = createMcpHandler(() => {
  throw new Error('Only POST carries a message.')
}, options)

/** The host of the installation; for a server on this machine every local host. */
function allowedHosts({ settings }: Services): string[] {
  const own = new URL(settings.publicUrl).hostname
  const local = localhostAllowedOrigins()
  return local.includes(own) ? local : [own]
}

function headersOf(request: Request): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // The protocol needs neither the credential nor cookies.
    if (value === undefined || name === 'authorization' || name === 'cookie') continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

type Message = { readonly value: JsonValue } | { readonly fault: ProtocolFault }

interface ProtocolFault {
  readonly code: number
  readonly message: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads one JSON-RPC message, with the API's strict JSON. */
function readMessage(bytes: Buffer): Message {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { fault: { code: -32700, message: 'Parse error: the body is not valid UTF-8.' } }
  }
  const parsed = parseStrictJson(text, bodyBounds(mcp_limits.mcp_json_depth_max))
  if (!parsed.ok) return { fault: { code: -32700, message: `Parse error: ${parsed.message}` } }
  const { value } = parsed
  // The protocol has no batches since its version 2025-06-18.
  if (Array.isArray(value))
    return { fault: { code: -32600, message: 'Batches are not accepted. Send one message per request.' } }
  return { value }
}

function protocolError(error: ProtocolFault): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}

async function toAnswer(request: Request, response: Response): Promise<Answer> {
  const headers: Record<string, string> = {
    ...Object.fromEntries(response.headers),
    'x-request-id': request.id,
    'cache-control': 'private, no-store',
    vary: 'Authorization, Origin',
  }
  // The HTTP server decides about the connection.
  delete headers.connection
  return { status: response.status, headers, body: response.body === null ? null : await response.text() }
}
