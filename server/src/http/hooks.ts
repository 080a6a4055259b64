/**
 * `POST /v1/hooks/{secret}`: incoming webhooks of automations, without a credential (contract/16#incoming-webhooks). Requests
 * are counted per address and per organization before their content is read, apart from the organization's credits. Neither
 * answers nor logs contain the secret of an address.
 */

import { receivedWindow } from '../api/credits/credit-limits.ts'
import type { Caller, Mode } from '../api/declare/caller.ts'
import { refuse } from '../api/declare/errors.ts'
import type { Answer } from '../api/declare/request.ts'
import { newest_version } from '../api/declare/version.ts'
import { limits } from '../api/limits.ts'
import { answerSender } from '../api/pipeline.ts'
import { readUserAgent, truncateAddress } from '../api/request-log/log-request.ts'
import type { Services } from '../api/services.ts'
import { automation_limits } from '../automations/limits.ts'
import { findOpenHook, type OpenHook, receive } from '../resources/automation_runs/hooks/receive.ts'
import type { Handler, IncomingRequest } from './exchange.ts'
import type { Router } from './router.ts'

const hook_path = '/v1/hooks/{secret}'

export function addHooks(router: Router<Handler>, services: Services): void {
  router.add('POST', hook_path, (request, { secret = '' }) => answerHook(services, request, secret))
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    router.add(method, hook_path, (request) => answerSender(services, shownWithoutSecret(request), refuseMethod))
  }
}

async function answerHook(services: Services, request: IncomingRequest, secret: string): Promise<Answer> {
  return await answerSender(services, shownWithoutSecret(request), async (call) => {
    requireShortUrl(request)
    const open = await findOpenHook(services.store.reader('system'), secret)
    if (open === null) throw refuse('resource_not_found', { message: 'There is nothing at this address.' })
    call.caller = senderOf(open)
    await countRequest(services, open, request.receivedAt)
    const body = await request.body(automation_limits.automation_hook_bytes_max)
    const sent = { header: (name: string) => headerOf(request, name), rawQuery: request.rawQuery, body }
    const source = { ip: truncateAddress(request.ip), user_agent: readUserAgent(request) }
    const receipt = await receive(services, open, sent, source)
    return { status: 202, headers: {}, body: JSON.stringify(receipt) }
  })
}

const refuseMethod = async (): Promise<Answer> => {
  throw refuse('resource_not_found', { message: 'This path only supports POST.', headers: { Allow: 'POST' } })
}

function requireShortUrl({ path, rawQuery }: IncomingRequest): void {
  if (path.length + rawQuery.length + 1 <= limits.url_bytes_max) return
  const message = `The URL is over the limit of ${limits.url_bytes_max} bytes.`
  throw refuse('invalid_query_parameter', { message })
}

/** The request with the pattern in place of its path. */
function shownWithoutSecret(request: IncomingRequest): IncomingRequest {
  return { ...request, path: hook_path }
}

async function countRequest({ credits }: Services, { hook }: OpenHook, now: number): Promise<void> {
  const { automation_hook_requests_max, automation_hooks_requests_max } = automation_limits
  const { organization, id } = hook
  await credits.countReceived(
    [
      receivedWindow(organization, id, automation_hook_requests_max, now),
      receivedWindow(organization, organization, automation_hooks_requests_max, now),
    ],
    now,
  )
}

/** The values of a header that occurs several times are joined, as HTTP has it. */
function headerOf(request: IncomingRequest, name: string): string | undefined {
  const values = request.headerValues(name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** For whom the request log holds the request. It has no rights. */
function senderOf({ hook, flow }: OpenHook): Caller {
  const { organization, realm } = hook
  return {
    organization,
    realm,
    credential: hook.id,
    kind: 'api_key',
    mode: hook.mode as Mode,
    plan: null,
    scopes: new Set(),
    owner: { type: 'automation', id: flow.id },
    apiVersion: newest_version,
    serviceUser: '',
    createdAt: hook.created,
    expiresAt: null,
    guest: null,
    storeScope: { organization, realms: [realm] },
  }
}
