/**
 * What happens to every request, in this order (decisions §2). Each step is a rule with a file of its own; a step that
 * refuses ends the walk, and the answer is made from the refusal.
 *
 *   credential in URL → credential → operation switched off → plan → scope → credits            `admit`
 *   reads:  version → parameters → target → the read → ETag                                      `read`
 *   writes: Idempotency-Key → body's form → version → parameters → If-Match → body's schema      `checkWrite`
 *           → one transaction: key look-up → target → state, references, the change              `commit.ts`
 *             of a dry run the same, rolled back                                                 `dry-run.ts`
 */
import { StoreUnavailable } from '../db/store.ts'
import { authenticate, refuseCredentialInUrl } from './authenticate.ts'
import { requireConfirmation, requireEnabled, requirePlan, requireScope } from './authorize.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { commit, type Write } from './commit.ts'
import { etagOf, notModified, readIfMatch } from './conditional.ts'
import { asksDryRun, dryRun } from './dry-run.ts'
import { errorBody, Refusal, refuse } from './errors.ts'
import { fingerprint, readIdempotencyKey } from './idempotency.ts'
import { envelope, envelopeText } from './list-envelope.ts'
import { logRequest } from './log-request.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page-shape.ts'
import { checkFilters } from './references.ts'
import type { Answer, OpenStream, Request } from './request.ts'
import { requireFields } from './select-fields.ts'
import type { Services } from './services.ts'
import { findTarget } from './target.ts'
import { checkBody, readBody, readParameters, readQuery } from './validate.ts'
import { newest_version } from './version.ts'

/** Answers a request for an operation. Never rejects. */
export async function answer(
  services: Services,
  operation: Operation,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Answer> {
  const call = newCall(request, operation, params)
  let result: Answer
  try {
    const caller = await admit(services, call, operation)
    result =
      operation.kind === 'write'
        ? await write(services, call, operation, caller)
        : await read(services, call, operation, caller)
  } catch (error) {
    result = refused(call, toRefusal(services, call, error))
  }
  finish(services, call, result)
  return result
}

function newCall(request: Request, operation: Operation | null, params: Readonly<Record<string, string>>): Call {
  return {
    request,
    operation,
    params,
    dryRun: operation?.kind === 'write' && asksDryRun(request),
    caller: null,
    charge: null,
    version: null,
    queryNames: [],
    idempotencyKey: null,
    originalRequest: null,
    errorCode: null,
    errorParam: null,
    events: [],
  }
}

/** Who asks, and may they: everything before the request's own input is looked at. */
async function admit(services: Services, call: Call, operation: Operation): Promise<Caller> {
  const { request } = call
  refuseCredentialInUrl(request)
  const known = authenticate(request, services.credentials)
  const caller = known instanceof Promise ? await known : known
  call.caller = caller
  requireEnabled(operation, services.disabledOperations)
  requirePlan(caller)
  requireScope(caller, operation.scope)
  requireConfirmation(caller, operation)
  const charge = services.credits.admit(caller, operation.credits, request.receivedAt)
  call.charge = charge instanceof Promise ? await charge : charge
  return caller
}

async function read(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Answer> {
  const { request, params } = call
  const query = parameters(services, call, operation, caller)
  const reader = services.store.reader(caller.storeScope)
  const sought = { reader, caller, params, workspace: query.workspace as string | undefined, precondition: null }
  if (operation.lists !== null && query.fields !== undefined) requireFields(operation.lists, query.fields as string[])
  await checkFilters(operation, reader, caller, query)
  const { target, parent } = await findTarget(operation, sought)
  const now = request.receivedAt
  const context = {
    params,
    query,
    caller,
    reader,
    now,
    services,
    target,
    parent,
    operation,
    path: request.path,
    version: call.version ?? newest_version,
    request,
    requestId: request.id,
  }
  const found = (await operation.handle(context as never)) as object
  if (operation.streams) return streamAnswer(found as OpenStream)
  const body = bodyOf(services, call, operation, found, query.fields as string[] | undefined)
  const etag = etagOf(body, operation.kind === 'list' ? undefined : (found as { revision?: number }).revision)
  if (notModified(request, etag)) return { status: 304, headers: { ETag: etag }, body: null }
  return { status: 200, headers: { ETag: etag }, body }
}

function bodyOf(
  services: Services,
  { request, version }: Call,
  operation: Operation,
  found: object,
  fields: readonly string[] | undefined,
): string {
  const isList = operation.kind === 'list'
  const text = isList ? envelopeText(request.path, found as Page) : null
  if (text !== null) return text
  const shown = isList ? envelope(request.path, found as Page, fields) : found
  return JSON.stringify(services.versions.downgradeResponse(version ?? newest_version, operation.id, shown))
}

function streamAnswer(stream: OpenStream): Answer {
  return { status: 200, headers: { ETag: stream.etag, 'Content-Type': 'text/event-stream' }, body: null, stream }
}

function parameters(services: Services, call: Call, operation: Operation, caller: Caller): Record<string, unknown> {
  const header = call.request.headers['service-version'] as string | undefined
  if (operation.lenient) {
    call.version = services.versions.select(header, caller.apiVersion, true)
    return {}
  }
  const texts = readQuery(call.request.rawQuery)
  call.queryNames = [...texts.keys()].slice(0, 50).map((name) => name.slice(0, 80))
  call.version = services.versions.select(header, caller.apiVersion, false)
  return readParameters(operation, texts)
}

async function write(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Answer> {
  const checked = await checkWrite(services, call, operation, caller)
  if (call.dryRun) return await dryRun(services, checked)
  const outcome = await commit(services, checked)
  call.originalRequest = outcome.original
  call.events = [...outcome.events]
  const replayed: Record<string, string> =
    outcome.original === null ? {} : { 'Idempotent-Replayed': 'true', 'Original-Request': outcome.original }
  if (outcome.refusal !== null) {
    const answer = refused(call, outcome.refusal)
    return { ...answer, headers: { ...answer.headers, ...replayed } }
  }
  return { status: outcome.status, headers: replayed, body: outcome.body }
}

/** All input of a write, checked. */
async function checkWrite(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Write> {
  const { request, params } = call
  const key = readIdempotencyKey(request)
  call.idempotencyKey = key
  const sent = await readBody(operation, request)
  const query = parameters(services, call, operation, caller)
  const version = call.version ?? newest_version
  const precondition = operation.method === 'POST' ? null : readIfMatch(request)
  const body = checkBody(operation, services.versions.upgradeRequest(version, operation.id, sent))
  const workspace = oneWorkspace(query.workspace as string | undefined, body.workspace as string | undefined)
  const print = fingerprint(request, readQuery(request.rawQuery), sent)
  return {
    operation,
    request,
    claim: { caller, key, fingerprint: print, requestId: request.id },
    params,
    body,
    workspace,
    precondition,
    version,
  }
}

function oneWorkspace(inQuery: string | undefined, inBody: string | undefined): string | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw refuse('invalid_request_body', {
      param: 'workspace',
      message: 'The query and the body name different workspaces.',
    })
  }
  return inQuery ?? inBody
}

/** What went wrong, as the client may know it. */
function toRefusal(services: Services, call: Call, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable) {
    services.log.error('the store is not available', {
      request: call.request.id,
      error: error.message,
      cause: String(error.cause),
    })
    return refuse('rate_limit_unavailable', {
      message:
        'The store cannot be reached at the moment. Nothing was acknowledged: repeat the request with the same Idempotency-Key.',
      retryAfter: 1,
    })
  }
  services.log.error('a request failed', {
    request: call.request.id,
    error: error instanceof Error ? error.stack : String(error),
  })
  return refuse('internal_error')
}

function refused(call: Call, refusal: Refusal): Answer {
  call.errorCode = refusal.code
  call.errorParam = refusal.options.param?.slice(0, 160) ?? null
  const headers: Record<string, string> = { ...refusal.options.headers }
  if (refusal.options.retryAfter !== undefined) headers['Retry-After'] = String(refusal.options.retryAfter)
  return { status: refusal.status, headers, body: errorBody(refusal, call.request.id) }
}

/** Settles the cost, puts on the headers that every answer has, and logs the request. */
function finish(services: Services, call: Call, answer: Answer): void {
  const { request, operation, charge } = call
  const { headers, status } = answer
  const cost = costOf(call, status)
  if (charge !== null) {
    charge.settle(cost)
    charge.headers(headers, request.receivedAt)
  }
  headers['X-Request-Id'] = request.id
  headers['Cache-Control'] = cacheControl(operation)
  headers.Vary = 'Authorization, Service-Version'
  if (call.dryRun) headers['Preference-Applied'] = 'dry-run'
  if (status === 200) headers['X-RateLimit-Cost'] = String(operation?.credits ?? 1)
  if (status !== 304) {
    headers['Content-Type'] ??= 'application/json; charset=utf-8'
    headers['Service-Version'] =
      call.version ?? services.versions.select(undefined, call.caller?.apiVersion ?? newest_version, true)
  }
  logRequest(services.requestLog, call, answer, cost, services.clock.now())
}

const uncharged: ReadonlySet<number> = new Set([304, 401, 402, 403, 429])

/** What a request is charged: the list price on success, 1 for a mistake or a dry run, 0 where nothing was given (decisions §4). */
function costOf(call: Call, status: number): number {
  if (call.charge === null || call.originalRequest !== null || status >= 500 || uncharged.has(status)) return 0
  return status === 200 && !call.dryRun ? call.charge.price : 1
}

function cacheControl(operation: Operation | null): string {
  const kept =
    operation !== null && operation.method === 'GET' && !operation.streams && operation.id !== 'jobs.retrieve'
  return kept ? 'private, no-cache' : 'private, no-store'
}

/** Answers what never reached an operation: an unknown route, a wrong method, a request that cannot be read. */
export function refuseUnrouted(services: Services, request: Request, refusal: Refusal): Answer {
  const call = newCall(request, null, {})
  let reason = refusal
  try {
    refuseCredentialInUrl(request)
  } catch (error) {
    reason = error as Refusal
  }
  const answer = refused(call, reason)
  finish(services, call, answer)
  return answer
}
