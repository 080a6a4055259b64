/**
 * Answers every request in this order (contract/02#order-of-checks). Each rule has its own file. The first rule that
 * refuses ends the request, and its refusal becomes the answer.
 *
 *   1. credential in URL → credential → operation enabled → plan → scope → guest → credits     `admit`
 *   2. a read:  version → parameters → target → handler → ETag                                 `answerRead`
 *      a write: Idempotency-Key → body format → version → parameters → If-Match → body schema   `checkWrite`
 *      an upload: Idempotency-Key → version → parameters → If-Match → content                   `checkUpload`
 *   3. a write: one transaction (key → target → handler → events, audit, record)                `write/commit.ts`
 *      a dry run: the same transaction, rolled back                                             `write/dry-run.ts`
 *   4. settle the cost, set the common headers, log the request                                 `finish`
 */
import type { MaybePromise } from '../db/query.ts'
import { type Reader, StoreUnavailable } from '../db/store.ts'
import { ContentUnavailable } from '../files/files.ts'
import type { Caller } from './declare/caller.ts'
import { errorBody, Refusal, refuse } from './declare/errors.ts'
import type { Operation } from './declare/operation.ts'
import type { Page } from './declare/page-shape.ts'
import type { Answer, OpenStream, Request } from './declare/request.ts'
import { newest_version } from './declare/version.ts'
import { authenticate, refuseCredentialInUrl } from './request/authenticate.ts'
import { requireConfirmation, requireEnabled, requireForGuest, requirePlan, requireScope } from './request/authorize.ts'
import type { Call } from './request/call.ts'
import { etagOf, notModifiedTag, readIfMatch } from './request/conditional.ts'
import { asCallerSees } from './request/guest-answer.ts'
import { envelope, envelopeText } from './request/list-envelope.ts'
import { checkFilters } from './request/references.ts'
import { requireFields } from './request/select-fields.ts'
import { findTarget } from './request/target.ts'
import { checkBody, readBody, readParameters, readQuery } from './request/validate.ts'
import { logRequest } from './request-log/log-request.ts'
import type { Services } from './services.ts'
import { bothRealms, commit, type Write } from './write/commit.ts'
import { dryRun, isDryRun } from './write/dry-run.ts'
import {
  type Claim,
  findReplay,
  fingerprint,
  isKeyKnown,
  type Outcome,
  readIdempotencyKey,
} from './write/idempotency.ts'
import { receiveUpload, withUpload } from './write/upload.ts'

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
        : await answerRead(services, call, operation, caller)
  } catch (error) {
    result =
      (await answerBeyondCredits(services, call, operation, error)) ?? refused(call, toRefusal(services, call, error))
  }
  finish(services, call, result)
  return result
}

function newCall(request: Request, operation: Operation | null, params: Readonly<Record<string, string>>): Call {
  return {
    request,
    operation,
    params,
    dryRun: operation?.kind === 'write' && isDryRun(request),
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

/** Phase 1: identifies the caller and checks its rights, before any input is read. */
async function admit(services: Services, call: Call, operation: Operation): Promise<Caller> {
  const { request } = call
  refuseCredentialInUrl(request)
  const known = authenticate(request, services.credentials)
  const caller = known instanceof Promise ? await known : known
  call.caller = caller
  requireEnabled(operation, services.disabledOperations)
  requirePlan(caller)
  requireScope(caller, operation.scope)
  requireForGuest(caller, operation)
  requireConfirmation(caller, operation)
  const charge = services.credits.admit(caller, operation.credits, request.receivedAt)
  call.charge = charge instanceof Promise ? await charge : charge
  return caller
}

/** Phase 2 of a read: checks the input, finds the target, and calls the handler. */
async function answerRead(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Answer> {
  const { request, params } = call
  const query = parameters(services, call, operation, caller)
  const reader = readerFor(services, operation, caller)
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
    versions: services.versions,
    target,
    parent,
    operation,
    path: request.path,
    version: call.version ?? newest_version,
    request,
    requestId: request.id,
  }
  const handled = await operation.handle(context)
  const found = caller.guest === null ? handled : await asCallerSees(handled, { reader, caller })
  if (operation.streams) return streamAnswer(found as OpenStream)
  const body = bodyOf(services, call, operation, found, query.fields as string[] | undefined)
  const etag = etagOf(body, operation.kind === 'list' ? undefined : (found as { revision?: number }).revision)
  const held = notModifiedTag(request, etag)
  if (held !== null) return { status: 304, headers: { ETag: held }, body: null }
  return { status: 200, headers: { ETag: etag }, body }
}

/** A replica may answer a read, but not about the log that streams and webhooks follow on the primary. */
function readerFor({ store }: Services, { id, streams }: Operation, { storeScope }: Caller): Reader {
  return streams || id.startsWith('events.') ? store.reader(storeScope) : store.replicaReader(storeScope)
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
  call.queryNames = [...texts.keys()].slice(0, 50).map((name) => name.slice(0, 80).toWellFormed())
  call.version = services.versions.select(header, caller.apiVersion, false)
  return readParameters(operation, texts)
}

/** Phases 2 and 3 of a write. */
async function write(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Answer> {
  if (operation.uploads) return await writeUpload(services, call, operation, caller)
  const checked = await checkWrite(services, call, operation, caller)
  if (call.dryRun) return await dryRun(services, checked)
  return answerOf(call, await commit(services, checked))
}

/** The same for a write whose body is content. */
async function writeUpload(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Answer> {
  const checked = await checkUpload(services, call, operation, caller)
  return await withUpload(services, checked, async () => {
    if (call.dryRun) return await dryRun(services, checked)
    return answerOf(call, await commit(services, checked))
  })
}

function answerOf(call: Call, outcome: Outcome): Answer {
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

/** Phase 2 of a write: checks all input. */
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
    query,
    upload: null,
    workspace,
    precondition,
    version,
    realms: operation.inBothRealms ? await bothRealms(services, caller) : [caller],
  }
}

/**
 * The same for an upload. Everything else is checked before the content is read, because it may be large. The content is
 * represented in the fingerprint by its hash (contract/03#fingerprint).
 */
async function checkUpload(services: Services, call: Call, operation: Operation, caller: Caller): Promise<Write> {
  const { request, params } = call
  const key = readIdempotencyKey(request)
  call.idempotencyKey = key
  const query = parameters(services, call, operation, caller)
  await checkFilters(operation, services.store.reader(caller.storeScope), caller, query)
  const precondition = operation.method === 'POST' ? null : readIfMatch(request)
  const upload = await receiveUpload(services.files, request)
  const print = fingerprint(request, readQuery(request.rawQuery), { sha256: upload.content.sha256 })
  return {
    operation,
    request,
    claim: { caller, key, fingerprint: print, requestId: request.id },
    params,
    body: {},
    query,
    upload,
    workspace: query.workspace as string | undefined,
    precondition,
    version: call.version ?? newest_version,
    realms: [caller],
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

/**
 * Answers some requests although the credits are used up: usage, the replay of a stored answer, and a 304 within its own
 * limit (contract/04#beyond-the-credits). Null if the refusal remains the answer.
 */
async function answerBeyondCredits(
  services: Services,
  call: Call,
  operation: Operation,
  error: unknown,
): Promise<Answer | null> {
  const isExhausted = error instanceof Refusal && error.code === 'rate_limit_exceeded' && call.charge === null
  if (!isExhausted || call.caller === null || call.dryRun || operation.streams) return null
  try {
    if (operation.kind === 'write') return await replayBeyondCredits(services, call, operation, call.caller)
    if (operation.beyondCredits) return await readBeyondCredits(services, call, operation, call.caller)
    return await revalidateBeyondCredits(services, call, operation, call.caller)
  } catch (failure) {
    // The input is invalid too, but the credits are checked first, so their refusal is the answer.
    if (failure instanceof Refusal) return null
    return refused(call, toRefusal(services, call, failure))
  }
}

async function readBeyondCredits(
  services: Services,
  call: Call,
  operation: Operation,
  caller: Caller,
): Promise<Answer | null> {
  call.charge = await services.credits.countBeyond(caller, 'beyond', call.request.receivedAt)
  return call.charge === null ? null : await answerRead(services, call, operation, caller)
}

async function replayBeyondCredits(
  services: Services,
  call: Call,
  operation: Operation,
  caller: Caller,
): Promise<Answer | null> {
  const reader = services.store.reader(caller.storeScope)
  const claim = await claimBeyondCredits(services, call, operation, caller, reader)
  const known = claim === null ? null : await findReplay(reader, claim, services.sealer, services.clock.now())
  if (known === null) return null
  call.charge = await services.credits.countBeyond(caller, 'beyond', call.request.receivedAt)
  return call.charge === null ? null : answerOf(call, known)
}

/** Null for an upload whose key is new: its content need not be read. */
async function claimBeyondCredits(
  services: Services,
  call: Call,
  operation: Operation,
  caller: Caller,
  reader: Reader,
): Promise<Claim | null> {
  if (!operation.uploads) return (await checkWrite(services, call, operation, caller)).claim
  const isKnown = await isKeyKnown(reader, { caller, key: readIdempotencyKey(call.request) })
  if (!isKnown) return null
  const checked = await checkUpload(services, call, operation, caller)
  return await withUpload(services, checked, async () => checked.claim)
}

/** A 304 is free. An answer that does not match costs work, so such answers are counted and limited. */
async function revalidateBeyondCredits(
  services: Services,
  call: Call,
  operation: Operation,
  caller: Caller,
): Promise<Answer | null> {
  const { credits } = services
  const now = call.request.receivedAt
  if (call.request.headers['if-none-match'] === undefined || !credits.isAnythingLeft(caller, now)) return null
  if (!(await credits.hasBeyond(caller, 'unmatched', now))) return null
  const found = await answerRead(services, call, operation, caller)
  if (found.status === 304) {
    call.charge = credits.freeCharge(caller, now)
    return found
  }
  await credits.countBeyond(caller, 'unmatched', now)
  return null
}

/**
 * Answers a request outside the catalogue whose sender needs no credential. `act` sets `call.caller` when it knows for whom
 * the request is, so that it is logged there. Never rejects.
 */
export async function answerSender(
  services: Services,
  request: Request,
  act: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const call = newCall(request, null, {})
  let result: Answer
  try {
    refuseCredentialInUrl(request)
    result = await act(call)
  } catch (error) {
    result = refused(call, toRefusal(services, call, error))
  }
  finish(services, call, result)
  return result
}

/** The refusal for an error, without internal details. */
function toRefusal(services: Services, call: Call, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof ContentUnavailable) {
    services.log.error('the content of files is unavailable', { request: call.request.id, error: error.message })
    return refuse('rate_limit_unavailable', {
      message: 'Files cannot be stored at the moment. Nothing was acknowledged. Repeat with the same Idempotency-Key.',
      retryAfter: 1,
    })
  }
  if (error instanceof StoreUnavailable) {
    services.log.error('the store is unavailable', {
      request: call.request.id,
      error: error.message,
      cause: String(error.cause),
    })
    return refuse('rate_limit_unavailable', {
      message: 'The store is unavailable. Nothing was acknowledged. Repeat the request with the same Idempotency-Key.',
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
  call.errorParam = refusal.options.param?.slice(0, 160).toWellFormed() ?? null
  const headers: Record<string, string> = { ...refusal.options.headers }
  if (refusal.options.retryAfter !== undefined) headers['Retry-After'] = String(refusal.options.retryAfter)
  return { status: refusal.status, headers, body: errorBody(refusal, call.request.id) }
}

/** Phase 4: settles the cost, sets the common headers and logs the request. */
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

/** The charged credits: list price on success, 1 for a client error or dry run, otherwise 0 (contract/04#charges). */
function costOf(call: Call, status: number): number {
  if (call.charge === null || call.originalRequest !== null || status >= 500 || uncharged.has(status)) return 0
  return status === 200 && !call.dryRun ? call.charge.price : 1
}

function cacheControl(operation: Operation | null): string {
  return operation?.cached ? 'private, no-cache' : 'private, no-store'
}

/**
 * Refuses a request without an operation: unknown route, wrong method or malformed request. With a valid credential the
 * request is logged; the answer is the same without one.
 */
export function refuseUnrouted(services: Services, request: Request, refusal: Refusal): MaybePromise<Answer> {
  const call = newCall(request, null, {})
  let reason = refusal
  let sender: MaybePromise<Caller | null> = null
  try {
    refuseCredentialInUrl(request)
    sender = senderOf(services, request)
  } catch (error) {
    reason = error as Refusal
  }
  const answer = refused(call, reason)
  const finished = (caller: Caller | null): Answer => {
    call.caller = caller
    finish(services, call, answer)
    return answer
  }
  return sender instanceof Promise ? sender.then(finished) : finished(sender)
}

/** The caller of a request that is refused in any case; null without a valid credential. */
function senderOf(services: Services, request: Request): MaybePromise<Caller | null> {
  if (request.headerValues('authorization').length !== 1) return null
  try {
    const caller = authenticate(request, services.credentials)
    return caller instanceof Promise ? caller.catch(() => null) : caller
  } catch {
    return null
  }
}
