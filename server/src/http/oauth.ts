/**
 * The protocol of OAuth for programs: metadata, `/oauth/token`, `/oauth/revoke` and `/oauth/register`. The page on which a
 * person decides is one of the console. Errors have the form of RFC 6749 §5.2.
 */
import { Refusal } from '../api/declare/errors.ts'
import type { Answer } from '../api/declare/request.ts'
import { refuseCredentialInUrl } from '../api/request/authenticate.ts'
import type { Services } from '../api/services.ts'
import { console_limits } from '../console/limits.ts'
import { OauthError, type OauthErrorCode } from '../console/oauth/errors.ts'
import { resourceMetadata, serverMetadata } from '../console/oauth/metadata.ts'
import { answerRegistration } from '../console/oauth/register.ts'
import { answerRevocation } from '../console/oauth/revoke.ts'
import { answerToken } from '../console/oauth/token.ts'
import { StoreUnavailable } from '../db/store.ts'
import type { Handler, IncomingRequest } from './exchange.ts'
import type { Router } from './router.ts'

export function addOauth(router: Router<Handler>, services: Services): void {
  const { settings } = services
  const metadata = (make: (publicUrl: string) => object): Handler => {
    return () => ({ status: 200, headers: metadata_headers, body: JSON.stringify(make(settings.publicUrl)) })
  }
  router.add('GET', '/.well-known/oauth-authorization-server', metadata(serverMetadata))
  router.add(
    'GET',
    '/.well-known/oauth-protected-resource',
    metadata((publicUrl) => resourceMetadata(publicUrl, 'api')),
  )
  router.add(
    'GET',
    '/.well-known/oauth-protected-resource/mcp',
    metadata((publicUrl) => resourceMetadata(publicUrl, 'mcp')),
  )
  const posting = (status: number, act: (request: IncomingRequest) => Promise<object>): Handler => {
    return (request) => answering(services, request, status, act)
  }
  router.add(
    'POST',
    '/oauth/token',
    posting(200, (request) => answerToken({ services, request })),
  )
  router.add(
    'POST',
    '/oauth/register',
    posting(201, (request) => answerRegistration(services, request)),
  )
  router.add(
    'POST',
    '/oauth/revoke',
    posting(200, async (request) => {
      await answerRevocation({ services, request })
      return {}
    }),
  )
}

const common_headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  // Programs in pages of other sites use the protocol, too; no answer depends on a cookie.
  'Access-Control-Allow-Origin': '*',
}
const metadata_headers = { ...common_headers, 'Cache-Control': 'public, max-age=300' }
const headers = { ...common_headers, 'Cache-Control': 'no-store', Pragma: 'no-cache' }

async function answering(
  services: Services,
  request: IncomingRequest,
  status: number,
  act: (request: IncomingRequest) => Promise<object>,
): Promise<Answer> {
  try {
    refuseCredentialInUrl(request)
    const body = () => request.body(console_limits.oauth_body_bytes_max)
    return { status, headers, body: JSON.stringify(await act({ ...request, body })) }
  } catch (error) {
    return refused(services, request, error)
  }
}

function refused(services: Services, request: IncomingRequest, error: unknown): Answer {
  if (error instanceof OauthError)
    return failure(error.code === 'invalid_client' ? 401 : 400, error.code, error.message)
  if (error instanceof Refusal) {
    const { status } = error
    const code = status === 429 || status === 503 ? 'temporarily_unavailable' : 'invalid_request'
    const { retryAfter } = error.options
    const wait: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
    return failure(status, code, new OauthError(code, error.message).message, wait)
  }
  const isStore = error instanceof StoreUnavailable
  const reason = error instanceof Error ? error.stack : String(error)
  services.log.error('a request of OAuth failed', { request: request.id, error: reason })
  const message = isStore ? 'The store is unavailable. Try again.' : 'The server failed.'
  return failure(isStore ? 503 : 500, 'temporarily_unavailable', message, { 'Retry-After': '1' })
}

function failure(
  status: number,
  error: OauthErrorCode,
  error_description: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const challenge: Record<string, string> = status === 401 ? { 'WWW-Authenticate': 'Basic realm="Atrium"' } : {}
  return { status, headers: { ...headers, ...challenge, ...more }, body: JSON.stringify({ error, error_description }) }
}
