/**
 * Provisioning by SCIM 2.0 (RFC 7643, RFC 7644) at `/scim/v2`: identity providers create, change and deactivate the people of an
 * organization, with a token that is good for nothing else. Errors have the form of RFC 7644 §3.12.
 */
import { Refusal } from '../api/declare/errors.ts'
import type { Answer } from '../api/declare/request.ts'
import { refuseCredentialInUrl } from '../api/request/authenticate.ts'
import { readUserAgent } from '../api/request-log/log-request.ts'
import type { Services } from '../api/services.ts'
import { console_limits } from '../console/limits.ts'
import { addressOf } from '../console/origins.ts'
import { readObject } from '../console/scim/body.ts'
import { listOfAll, providerConfig, resourceTypes, schemas } from '../console/scim/discovery.ts'
import { ScimError, shown } from '../console/scim/errors.ts'
import { listUsers } from '../console/scim/list.ts'
import { readPatch } from '../console/scim/patch.ts'
import { requireProvider } from '../console/scim/provider.ts'
import type { PersonRow } from '../console/scim/queries.ts'
import { locationOf, readUser, showUser } from '../console/scim/user.ts'
import { changeUser, createUser, deleteUser, requireUser, type ScimContext } from '../console/scim/users.ts'
import { StoreUnavailable } from '../db/store.ts'
import type { Handler, IncomingRequest } from './exchange.ts'
import type { Router } from './router.ts'

const root = '/scim/v2'
const error_schema = 'urn:ietf:params:scim:api:messages:2.0:Error'
const headers = {
  'Content-Type': 'application/scim+json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

type Act = (request: IncomingRequest, params: Readonly<Record<string, string>>) => Promise<Answer> | Answer

export function addScim(router: Router<Handler>, services: Services): void {
  const { settings } = services
  const add = (method: string, path: string, act: Act) =>
    router.add(method, `${root}${path}`, (request, params) => answering(services, request, params, act))
  add('GET', '/ServiceProviderConfig', () => found(providerConfig(settings.publicUrl)))
  add('GET', '/ResourceTypes', () => found(listOfAll(resourceTypes(settings.publicUrl))))
  add('GET', '/ResourceTypes/{id}', (_, { id }) => found(named(resourceTypes(settings.publicUrl), id)))
  add('GET', '/Schemas', () => found(listOfAll(schemas(settings.publicUrl))))
  add('GET', '/Schemas/{id}', (_, { id }) => found(named(schemas(settings.publicUrl), id)))
  addUsers(add, services)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    add(method, '/*', (request) => {
      throw new ScimError(404, `There is nothing at ${request.method} ${shown(request.path)}.`)
    })
  }
}

function addUsers(add: (method: string, path: string, act: Act) => void, services: Services): void {
  const { settings } = services
  const contextOf = async (request: IncomingRequest): Promise<ScimContext> => {
    const provider = await requireProvider(services, request)
    return {
      services,
      provider,
      source: { ip: addressOf(request, settings.publicUrl), user_agent: readUserAgent(request) },
    }
  }
  const shownUser = (row: PersonRow) => found(showUser(row, settings.publicUrl))
  add('GET', '/Users', async (request) => {
    const { provider } = await contextOf(request)
    return found(await listUsers(services, provider, request))
  })
  add('POST', '/Users', async (request) => {
    const context = await contextOf(request)
    const row = await createUser(context, readUser(await readObject(request)))
    const location = { Location: locationOf(settings.publicUrl, row.user) }
    return {
      status: 201,
      headers: { ...headers, ...location },
      body: JSON.stringify(showUser(row, settings.publicUrl)),
    }
  })
  add('GET', '/Users/{id}', async (request, { id = '' }) => {
    const { provider } = await contextOf(request)
    return shownUser(await requireUser(services.store.reader('system'), provider, id))
  })
  add('PUT', '/Users/{id}', async (request, { id = '' }) => {
    const context = await contextOf(request)
    return shownUser(await changeUser(context, id, readUser(await readObject(request))))
  })
  add('PATCH', '/Users/{id}', async (request, { id = '' }) => {
    const context = await contextOf(request)
    return shownUser(await changeUser(context, id, readPatch(await readObject(request))))
  })
  add('DELETE', '/Users/{id}', async (request, { id = '' }) => {
    await deleteUser(await contextOf(request), id)
    return { status: 204, headers: { 'Cache-Control': 'no-store' }, body: null }
  })
}

function found(body: object): Answer {
  return { status: 200, headers, body: JSON.stringify(body) }
}

function named(all: readonly { readonly id: string }[], id = ''): object {
  const one = all.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (one === undefined) throw new ScimError(404, `There is no ${shown(id)}.`)
  return one
}

async function answering(
  services: Services,
  request: IncomingRequest,
  params: Readonly<Record<string, string>>,
  act: Act,
): Promise<Answer> {
  try {
    refuseCredentialInUrl(request)
    const body = () => request.body(console_limits.scim_body_bytes_max)
    return await act({ ...request, body }, params)
  } catch (error) {
    return refused(services, request, error)
  }
}

function refused(services: Services, request: IncomingRequest, error: unknown): Answer {
  if (error instanceof ScimError) return failure(error)
  if (error instanceof Refusal) {
    const { retryAfter = null } = error.options
    return failure(new ScimError(error.status, error.message, null, retryAfter))
  }
  const isStore = error instanceof StoreUnavailable
  const reason = error instanceof Error ? error.stack : String(error)
  services.log.error('a request of SCIM failed', { request: request.id, error: reason })
  const message = isStore ? 'The store is unavailable. Try again.' : 'The server failed.'
  return failure(new ScimError(isStore ? 503 : 500, message, null, 1))
}

function failure({ status, message, scimType, retryAfter }: ScimError): Answer {
  const more: Record<string, string> = {
    ...(retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }),
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="Atrium"' } : {}),
  }
  const kind = scimType === null ? {} : { scimType }
  const body = JSON.stringify({ schemas: [error_schema], status: String(status), ...kind, detail: message })
  return { status, headers: { ...headers, ...more }, body }
}
