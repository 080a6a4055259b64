/**
 * Provisioning by SCIM 2.0 (RFC 7643, RFC 7644) at `/scim/v2`: identity providers create, change and deactivate the people and teams
 * of an organization, with a token that is good for nothing else. Errors have the form of RFC 7644 §3.12.
 */

import { Refusal } from '../api/declare/errors.ts'
import { quoted } from '../api/declare/quoted.ts'
import type { Answer } from '../api/declare/request.ts'
import { refuseCredentialInUrl } from '../api/request/authenticate.ts'
import { readUserAgent } from '../api/request-log/log-request.ts'
import type { Services } from '../api/services.ts'
import { console_limits } from '../console/limits.ts'
import { addressOf } from '../console/origins.ts'
import { readObject } from '../console/scim/body.ts'
import { listOfAll, providerConfig, resourceTypes, schemas } from '../console/scim/discovery.ts'
import { ScimError } from '../console/scim/errors.ts'
import { locationOfGroup, readGroup } from '../console/scim/group.ts'
import { listGroups, readGroupShown, wantsMembers } from '../console/scim/group-list.ts'
import { readGroupPatch } from '../console/scim/group-patch.ts'
import { changeGroup, createGroup, deleteGroup, requireGroup } from '../console/scim/groups.ts'
import { listUsers, showUsers } from '../console/scim/list.ts'
import { readPatch } from '../console/scim/patch.ts'
import { requireProvider } from '../console/scim/provider.ts'
import type { PersonRow } from '../console/scim/queries.ts'
import { locationOf, readUser } from '../console/scim/user.ts'
import { changeUser, createUser, deleteUser, requireUser, type ScimContext } from '../console/scim/users.ts'
import type { TeamRow } from '../db/schema.ts'
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
  addGroups(add, services)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    add(method, '/*', (request) => {
      throw new ScimError(404, `There is nothing at ${request.method} ${quoted(request.path)}.`)
    })
  }
}

type Add = (method: string, path: string, act: Act) => void

async function contextOf(services: Services, request: IncomingRequest): Promise<ScimContext> {
  const provider = await requireProvider(services, request)
  const ip = addressOf(request, services.settings)
  return { services, provider, source: { ip, user_agent: readUserAgent(request) } }
}

function addUsers(add: Add, services: Services): void {
  const shownUser = async ({ provider }: ScimContext, row: PersonRow) =>
    (await showUsers(services, provider, [row]))[0] as object
  add('GET', '/Users', async (request) => {
    const { provider } = await contextOf(services, request)
    return found(await listUsers(services, provider, request))
  })
  add('POST', '/Users', async (request) => {
    const context = await contextOf(services, request)
    const row = await createUser(context, readUser(await readObject(request)))
    return created(locationOf(services.settings.publicUrl, row.user), await shownUser(context, row))
  })
  add('GET', '/Users/{id}', async (request, { id = '' }) => {
    const context = await contextOf(services, request)
    const row = await requireUser(services.store.reader('system'), context.provider, id)
    return found(await shownUser(context, row))
  })
  add('PUT', '/Users/{id}', async (request, { id = '' }) => {
    const context = await contextOf(services, request)
    return found(await shownUser(context, await changeUser(context, id, readUser(await readObject(request)))))
  })
  add('PATCH', '/Users/{id}', async (request, { id = '' }) => {
    const context = await contextOf(services, request)
    return found(await shownUser(context, await changeUser(context, id, readPatch(await readObject(request)))))
  })
  add('DELETE', '/Users/{id}', async (request, { id = '' }) => {
    await deleteUser(await contextOf(services, request), id)
    return nothing
  })
}

function addGroups(add: Add, services: Services): void {
  const { settings } = services
  const shownGroup = async (request: IncomingRequest, row: TeamRow) =>
    await readGroupShown(services.store.reader('system'), row, wantsMembers(request), settings.publicUrl)
  add('GET', '/Groups', async (request) => {
    const { provider } = await contextOf(services, request)
    return found(await listGroups(services, provider, request))
  })
  add('POST', '/Groups', async (request) => {
    const context = await contextOf(services, request)
    const row = await createGroup(context, readGroup(await readObject(request)))
    return created(locationOfGroup(settings.publicUrl, row.id), await shownGroup(request, row))
  })
  add('GET', '/Groups/{id}', async (request, { id = '' }) => {
    const { provider } = await contextOf(services, request)
    return found(await shownGroup(request, await requireGroup(services.store.reader('system'), provider, id)))
  })
  add('PUT', '/Groups/{id}', async (request, { id = '' }) => {
    const context = await contextOf(services, request)
    const sent = readGroup(await readObject(request))
    return found(await shownGroup(request, await changeGroup(context, id, [(group) => ({ ...group, ...sent })])))
  })
  add('PATCH', '/Groups/{id}', async (request, { id = '' }) => {
    const context = await contextOf(services, request)
    const row = await changeGroup(context, id, await readGroupPatch(await readObject(request)))
    // Without a body, which could have all people of a large group, unless the provider says what it wants.
    return new URLSearchParams(request.rawQuery).has('attributes') ? found(await shownGroup(request, row)) : nothing
  })
  add('DELETE', '/Groups/{id}', async (request, { id = '' }) => {
    await deleteGroup(await contextOf(services, request), id)
    return nothing
  })
}

const nothing: Answer = { status: 204, headers: { 'Cache-Control': 'no-store' }, body: null }

function created(location: string, body: object): Answer {
  return { status: 201, headers: { ...headers, Location: location }, body: JSON.stringify(body) }
}

function found(body: object): Answer {
  return { status: 200, headers, body: JSON.stringify(body) }
}

function named(all: readonly { readonly id: string }[], id = ''): object {
  const one = all.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (one === undefined) throw new ScimError(404, `There is no ${quoted(id)}.`)
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
    const isGroup = request.path.startsWith(`${root}/Groups`)
    const { scim_body_bytes_max, scim_group_bytes_max } = console_limits
    const body = () => request.body(isGroup ? scim_group_bytes_max : scim_body_bytes_max)
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
