/**
 * The pipeline of `/app/api`: 1. endpoint, 2. origin, 3. session, 4. CSRF token, 5. second factor, role and step-up,
 * 6. parameters, 7. body, 8. handler. It ignores credentials of `/v1`, and `/v1` ignores its cookies.
 */

import { errorBody, Refusal, refuse } from '../api/declare/errors.ts'
import type { Answer, Request } from '../api/declare/request.ts'
import { limits } from '../api/limits.ts'
import { refuseCredentialInUrl } from '../api/request/authenticate.ts'
import { checkShape, readBody, readParameters, readQuery } from '../api/request/validate.ts'
import type { Services } from '../api/services.ts'
import { StoreUnavailable } from '../db/store.ts'
import { requireCsrf } from './csrf.ts'
import type { Cookie, Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { console_limits } from './limits.ts'
import { isOperator } from './operator/operators.ts'
import { isSecure, ownOrigin, requireOwnOrigin } from './origins.ts'
import { requireOwnProof } from './second-factor/own-proof.ts'
import { writeCookie } from './sessions/cookie.ts'
import { findSession } from './sessions/find.ts'
import { type ActiveSession, requireRole, requireStepUp } from './sessions/session.ts'

const prefix = '/app/api/'

/** The endpoint of a request and its path parameters; without an endpoint, the methods that the path allows. */
interface RouteMatch {
  readonly endpoint: Endpoint | null
  readonly params: Readonly<Record<string, string>>
  readonly allowed: readonly string[]
}

/** An answer with its `Set-Cookie` headers. */
type ConsoleAnswer = Answer & { readonly cookies: readonly string[] }

/** Answers a request to `/app/api`. Never rejects. */
export async function answerConsole(services: Services, request: Request): Promise<ConsoleAnswer> {
  const now = request.receivedAt
  const headers: Record<string, string> = {}
  const cookies = new Map<'session' | 'openid', string>()
  // The last call wins: a handler overrides the cookie that the session lookup set.
  const setCookie = (cookie: Cookie | null) => void cookies.set('session', writeCookie(cookie, now))
  const setFlowCookie = (header: string) => void cookies.set('openid', header)
  try {
    const { endpoint, params } = requireEndpoint(request)
    const context = await admit(services, request, endpoint, setCookie)
    const query = readParameters(endpoint, readQuery(request.rawQuery))
    const sent = await readEndpointBody(endpoint, request)
    const full = { ...context, services, request, now, params, query, body: sent, setCookie, setFlowCookie }
    const answer = await endpoint.handle(full)
    const body = JSON.stringify(answer)
    return { status: 200, headers: { ...headers, ...commonHeaders(request) }, cookies: [...cookies.values()], body }
  } catch (error) {
    const refusal = toRefusal(services, request, error)
    const { retryAfter } = refusal.options
    if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter)
    const errorHeaders = { ...headers, ...refusal.options.headers, ...commonHeaders(request) }
    const body = errorBody(refusal, request.id)
    return { status: refusal.status, headers: errorHeaders, cookies: [...cookies.values()], body }
  }
}

/** Maximum size of a request body at this path, in bytes. */
export function bodyLimitOf(method: string, path: string): number {
  return matchRoute(method, path).endpoint?.body_bytes_max ?? console_limits.console_body_bytes_max
}

function commonHeaders(request: Request): Record<string, string> {
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
    throw refuse('invalid_query_parameter', { message: `The URL is longer than ${limits.url_bytes_max} bytes.` })
  }
  const { endpoint, params, allowed } = matchRoute(request.method, path)
  if (endpoint !== null) return { endpoint, params }
  if (allowed.length === 0) throw noEndpoint()
  throw refuse('resource_not_found', {
    message: `This path does not support ${request.method}. Use ${allowed.join(' or ')}.`,
    headers: { Allow: allowed.join(', ') },
  })
}

function noEndpoint(): Error {
  return refuse('resource_not_found', { message: 'No endpoint exists at this path.' })
}

function matchRoute(method: string, path: string): RouteMatch {
  const segments = path.slice(prefix.length).split('/')
  const candidates = endpoints.filter((endpoint) => matchesPath(endpoint.path, segments))
  const endpoint = candidates.find((each) => each.method === method) ?? null
  const params: Record<string, string> = {}
  for (const [i, part] of (endpoint?.path ?? []).entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[i] as string
  }
  const shown = candidates.filter((each) => !each.operator)
  return { endpoint, params, allowed: [...new Set(shown.map((each) => each.method))] }
}

/** A path parameter accepts ids only: no characters that need percent-encoding. */
function matchesPath(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) =>
      part.startsWith('{') ? /^[A-Za-z0-9][A-Za-z0-9:_-]{0,159}$/.test(segments[i] as string) : part === segments[i],
    )
  )
}

/**
 * Checks the origin, the session, the CSRF token, the second factor, the role, the proof of a second factor that is changed, and the
 * step-up, in this order.
 */
async function admit(
  services: Services,
  request: Request,
  endpoint: Endpoint,
  setCookie: (cookie: Cookie | null) => void,
): Promise<{ session: ActiveSession | null; origin: string }> {
  const { publicUrl } = services.settings
  const writes = endpoint.method !== 'GET'
  const origin = writes ? requireOwnOrigin(request, publicUrl) : ownOrigin(request, publicUrl)
  if (writes && !isSecure(origin)) throw refuse('https_required')
  const { session, cookie } = await findSession(services, request, request.receivedAt)
  if (cookie !== undefined) setCookie(cookie)
  if (endpoint.operator && (session === null || !(await isOperator(services, session)))) throw noEndpoint()
  if (session === null && endpoint.needs !== 'nothing') throw refuse('session_required')
  if (writes) requireCsrf(request, services.sealer, session?.id ?? null, services.clock.now())
  if (session !== null && endpoint.needs !== 'nothing') requireSecondFactor(session, endpoint)
  if (session !== null && endpoint.needs !== 'nothing') requireForGuest(session, endpoint)
  if (session !== null && endpoint.role !== null) requireRole(session, endpoint.role)
  if (session !== null && endpoint.changes_second_factor) requireOwnProof(session)
  if (session !== null && endpoint.needs === 'step_up') requireStepUp(session, request.receivedAt)
  return { session, origin }
}

/** Refuses a session without the second factor that it needs what is not declared to come before. */
function requireSecondFactor({ secondFactor: { need } }: ActiveSession, endpoint: Endpoint): void {
  if (need === null || endpoint.before_second_factor.includes(need)) return
  const message = need === 'set_up' ? 'This organization requires a second factor. Set one up first.' : undefined
  throw refuse('second_factor_required', message === undefined ? {} : { message })
}

/** Refuses a guest what is not declared to be for guests. */
function requireForGuest({ role }: ActiveSession, endpoint: Endpoint): void {
  if (role !== 'guest' || endpoint.guests) return
  throw refuse('role_required', { message: 'This is not for guests.' })
}

async function readEndpointBody(endpoint: Endpoint, request: Request): Promise<Record<string, unknown> | undefined> {
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
    return refuse('rate_limit_unavailable', { message: 'The store is unavailable. Try again.', retryAfter: 1 })
  }
  services.log.error('a request failed', {
    request: request.id,
    error: error instanceof Error ? error.stack : String(error),
  })
  return refuse('internal_error')
}
