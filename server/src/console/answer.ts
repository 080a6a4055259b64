/**
 * What happens to every request to `/app/api`, in this order: the endpoint, the origin, the session, the CSRF token, who
 * may, the parameters, the body, the handler. Credentials of `/v1` are nothing here, as cookies are nothing there.
 */
import { refuseCredentialInUrl } from '../api/authenticate.ts'
import { errorBody, Refusal, refuse } from '../api/errors.ts'
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { checkShape, readBody, readParameters, readQuery } from '../api/validate.ts'
import { StoreUnavailable } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import { requireCsrf } from './csrf.ts'
import type { Context, Cookie, Endpoint, Needs } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { isSecure, ownOrigin, requireOwnOrigin } from './origins.ts'
import { writeCookie } from './sessions/cookie.ts'
import { findSession } from './sessions/find.ts'
import { type OpenSession, requireRole, requireStepUp } from './sessions/session.ts'

const prefix = '/app/api/'

/** The endpoint of a request and what stands in the places of its path; otherwise the methods that its path has. */
interface Place {
  readonly endpoint: Endpoint | null
  readonly params: Readonly<Record<string, string>>
  readonly allowed: readonly string[]
}

/** Answers a request to `/app/api`. Never rejects. */
export async function answerConsole(services: Services, request: Request): Promise<Answer> {
  const now = request.receivedAt
  const headers: Record<string, string> = {}
  // The one that is set last counts: a handler knows better than the look at the session before it.
  const setCookie = (cookie: Cookie | null): void => {
    headers['Set-Cookie'] = writeCookie(cookie, now)
  }
  try {
    const { endpoint, params } = requireEndpoint(request)
    const context = await admit(services, request, endpoint, setCookie)
    const query = readParameters(endpoint, readQuery(request.rawQuery))
    const body = await bodyOf(endpoint, request)
    const full = { ...context, services, request, now, params, query, body, setCookie }
    const found = await endpoint.handle(full as unknown as Context<never, Needs>)
    return { status: 200, headers: { ...headers, ...common(request) }, body: JSON.stringify(found) }
  } catch (error) {
    const refusal = toRefusal(services, request, error)
    const { retryAfter } = refusal.options
    const also: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
    const all = { ...headers, ...also, ...refusal.options.headers, ...common(request) }
    return { status: refusal.status, headers: all, body: errorBody(refusal, request.id) }
  }
}

/** The largest body that a request to this path may have. */
export function bodyLimitOf(method: string, path: string): number {
  return find(method, path).endpoint?.body_bytes_max ?? limits.console_body_bytes_max
}

function common(request: Request): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
}

function requireEndpoint(request: Request): { endpoint: Endpoint; params: Readonly<Record<string, string>> } {
  refuseCredentialInUrl(request)
  const { path, rawQuery } = request
  if (path.length + rawQuery.length >= limits.url_bytes_max) {
    throw refuse('invalid_query_parameter', { message: `The URL is over ${limits.url_bytes_max} bytes.` })
  }
  const { endpoint, params, allowed } = find(request.method, path)
  if (endpoint !== null) return { endpoint, params }
  if (allowed.length === 0) throw refuse('resource_not_found', { message: 'There is nothing at this path.' })
  throw refuse('resource_not_found', {
    message: `${request.method} is not a method of this path.`,
    headers: { Allow: allowed.join(', ') },
  })
}

function find(method: string, path: string): Place {
  const segments = path.slice(prefix.length).split('/')
  const there = endpoints.filter((endpoint) => matches(endpoint.path, segments))
  const endpoint = there.find((each) => each.method === method) ?? null
  const params: Record<string, string> = {}
  for (const [i, part] of (endpoint?.path ?? []).entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[i] as string
  }
  return { endpoint, params, allowed: [...new Set(there.map((each) => each.method))] }
}

/** A place takes what an id can be: nothing that would need an escape. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) =>
      part.startsWith('{') ? /^[A-Za-z0-9][A-Za-z0-9:_-]{0,159}$/.test(segments[i] as string) : part === segments[i],
    )
  )
}

/** Who asks, from where, and may they. */
async function admit(
  services: Services,
  request: Request,
  endpoint: Endpoint,
  setCookie: (cookie: Cookie | null) => void,
): Promise<{ session: OpenSession | null; origin: string }> {
  const { publicUrl } = services.settings
  const writes = endpoint.method !== 'GET'
  const origin = writes ? requireOwnOrigin(request, publicUrl) : ownOrigin(request, publicUrl)
  if (writes && !isSecure(publicUrl)) throw refuse('https_required')
  const found = await findSession(services, request, request.receivedAt)
  if (found.cookie !== undefined) setCookie(found.cookie)
  const { session } = found
  if (session === null && endpoint.needs !== 'nothing') throw refuse('session_required')
  if (writes) requireCsrf(request, services.sealer, session?.id ?? null)
  if (session !== null && endpoint.role !== null) requireRole(session, endpoint.role)
  if (session !== null && endpoint.needs === 'step_up') requireStepUp(session, request.receivedAt)
  return { session, origin }
}

async function bodyOf(endpoint: Endpoint, request: Request): Promise<Record<string, unknown> | undefined> {
  const { body: schema } = endpoint
  if (endpoint.method === 'GET') return undefined
  const sent = await readBody({ bodyOptional: schema === null }, request)
  if (schema !== null) return checkShape(schema, sent)
  if (sent === undefined) return undefined
  throw refuse('invalid_request_body', { message: 'This endpoint takes no body.' })
}

function toRefusal(services: Services, request: Request, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable) {
    services.log.error('the store is not available', { request: request.id, error: error.message })
    return refuse('rate_limit_unavailable', { message: 'The store cannot be reached at the moment.', retryAfter: 1 })
  }
  services.log.error('a request failed', {
    request: request.id,
    error: error instanceof Error ? error.stack : String(error),
  })
  return refuse('internal_error')
}
