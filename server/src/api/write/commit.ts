/**
 * Runs a write as one transaction (contract/03#atomicity):
 *
 *   1. find the idempotency record; a stored answer ends here
 *   2. find the target and check the precondition
 *   3. run the handler
 *   4. write the events and the audit entry
 *   5. store the answer under the key
 *
 * An operation with an outside call first commits a claim for its key, makes the call, and then runs the transaction.
 * Invariant: change, events, audit entry and stored answer commit together or not at all.
 */
import type { Reader, Scope, Tx } from '../../db/store.ts'
import type { Caller } from '../declare/caller.ts'
import { Refusal, refuse } from '../declare/errors.ts'
import type { EventType } from '../declare/event.ts'
import type { AuditNote, Operation, UploadedContent } from '../declare/operation.ts'
import type { Precondition, Request } from '../declare/request.ts'
import { asCallerSees } from '../request/guest-answer.ts'
import { findTarget } from '../request/target.ts'
import { readUserAgent } from '../request-log/log-request.ts'
import type { Services } from '../services.ts'
import { actorOf } from './actor.ts'
import {
  type Claim,
  claimantOf,
  claimKey,
  findOutcome,
  isStored,
  type Outcome,
  prefetchRecord,
  releaseClaim,
  storeEventReference,
  storeOutcome,
} from './idempotency.ts'
import { Outbox, previousOf } from './outbox.ts'
import { realmsOf } from './realms.ts'
import { type ChangeCause, listedFields, type RealmMode, recordChange } from './record.ts'

/** A write whose input has been checked. */
export interface Write {
  readonly operation: Operation
  readonly request: Request
  readonly claim: Claim
  readonly params: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly upload: UploadedContent | null
  readonly workspace: string | undefined
  readonly precondition: Precondition | null
  readonly version: string
  /** The realms whose logs record it, the caller's first. */
  readonly realms: readonly RealmMode[]
}

/** Both realms of the caller's organization, the caller's first. */
export async function bothRealms({ store }: Services, caller: Caller): Promise<RealmMode[]> {
  const all = await realmsOf(store, caller.organization)
  return [caller, ...all.filter(({ realm }) => realm !== caller.realm)]
}

/** The rows that the transaction of a write may see. */
export function scopeOfWrite({ operation, claim: { caller }, realms }: Write): Scope {
  if (!operation.inBothRealms) return caller.storeScope
  return { organization: caller.organization, realms: realms.map(({ realm }) => realm) }
}

/** Executes a write once per idempotency key. Rejects with a refusal that is not stored, or with StoreUnavailable. */
export async function commit(services: Services, write: Write): Promise<Outcome> {
  const { claim } = write
  const running = runningKey(claim)
  if (services.inProgress.has(running))
    throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  services.inProgress.add(running)
  try {
    const outcome = await attempt(services, write)
    if (outcome.refusal === null) write.operation.afterCommit?.(services)
    if (outcome.events.length > 0) for (const { realm } of write.realms) services.committed(realm)
    return outcome
  } finally {
    services.inProgress.delete(running)
  }
}

/** The key of a running write in `services.inProgress`. */
export function runningKey({ caller, key }: Claim): string {
  return `${caller.realm} ${caller.credential} ${key}`
}

/** Every write looks for its record first, so the store may repeat it when a commit was not answered. */
const find_first = { recorded: true }

async function attempt(services: Services, write: Write): Promise<Outcome> {
  if (write.operation.prepare === undefined) return await transact(services, write, undefined)
  const known = await claimBeforeOutsideCall(services, write)
  if (known !== null) return known
  try {
    const prepared = await prepare(services, write)
    return 'outcome' in prepared ? prepared.outcome : await transact(services, write, prepared.value)
  } catch (error) {
    await releaseKey(services, write)
    throw error
  }
}

async function transact(services: Services, write: Write, prepared: unknown): Promise<Outcome> {
  const { claim } = write
  const now = services.clock.now()
  try {
    return await services.store.write(
      scopeOfWrite(write),
      async (tx) => {
        const known = await findOutcome(tx, claim, services.sealer, now)
        return known ?? (await execute(services, write, tx, prepared, now))
      },
      { recorded: true, ahead: (reader) => prefetch(reader, write) },
    )
  } catch (error) {
    // Refused after a write: that transaction was rolled back, so a second one stores the answer.
    if (!(error instanceof Refusal) || !isStored(error) || isAboutKey(error)) throw error
    return await storeRefusal(services, write, error)
  }
}

/** Reads what every attempt of this write reads first. */
async function prefetch(reader: Reader, write: Write): Promise<void> {
  const { operation, claim, params, body, workspace, precondition } = write
  const sought = { reader, caller: claim.caller, params, workspace, precondition }
  operation.lookAhead?.({ tx: reader, caller: claim.caller }, body)
  await Promise.all([prefetchRecord(reader, claim), findTarget(operation, sought)])
}

function isAboutKey(refusal: Refusal): boolean {
  return refusal.code === 'idempotency_key_reused' || refusal.code === 'idempotency_in_progress'
}

/** The outcome of an earlier request with this key. Without one, commits a claim that refuses concurrent requests. */
async function claimBeforeOutsideCall(services: Services, { claim }: Write): Promise<Outcome | null> {
  try {
    return await claimUnlessTaken(services, claim, null)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'idempotency_in_progress') throw error
    const ended = await endedClaimant(services, claim)
    if (ended === null) throw error
    return await claimUnlessTaken(services, claim, ended)
  }
}

/** The process whose claim refuses the request, if that process has ended: its outside call will never be recorded. */
async function endedClaimant({ store }: Services, claim: Claim): Promise<string | null> {
  const claimant = await claimantOf(store.reader(claim.caller.storeScope), claim)
  return claimant === null ? null : ((await store.processes.ended([claimant]))[0] ?? null)
}

async function claimUnlessTaken(services: Services, claim: Claim, ended: string | null): Promise<Outcome | null> {
  const own = services.store.processes.own()
  const now = services.clock.now()
  return await services.store.write(
    claim.caller.storeScope,
    async (tx) => {
      const known = await findOutcome(tx, claim, services.sealer, now, ended)
      if (known === null) claimKey(tx, claim, own, now)
      return known
    },
    find_first,
  )
}

/** Releases the key of a write that failed without an outcome. If this fails too, the claim ends with its lease. */
async function releaseKey(services: Services, { claim }: Write): Promise<void> {
  await services.store.write(claim.caller.storeScope, async (tx) => releaseClaim(tx, claim), find_first).catch(() => {})
}

/** Makes the operation's outside call while no transaction is open. A refusal that the operation decides is stored. */
async function prepare(services: Services, write: Write): Promise<{ value: unknown } | { outcome: Outcome }> {
  try {
    return { value: await callOutside(services, write) }
  } catch (error) {
    if (!(error instanceof Refusal) || !isStored(error)) throw error
    return { outcome: await storeRefusal(services, write, error) }
  }
}

/** Runs the operation's `prepare`; rejects with its refusal. */
export async function callOutside(services: Services, write: Write): Promise<unknown> {
  const { operation, claim, params, body } = write
  const { caller } = claim
  const reader = services.store.reader(caller.storeScope)
  const found = await findTarget(operation, {
    reader,
    caller,
    params,
    workspace: write.workspace,
    precondition: write.precondition,
  })
  const context = {
    ...found,
    params,
    caller,
    body,
    query: write.query,
    upload: write.upload,
    reader,
    services,
    versions: services.versions,
    version: write.version,
    now: services.clock.now(),
    requestId: claim.requestId,
  }
  return await operation.prepare?.(context)
}

async function storeRefusal(services: Services, write: Write, refusal: Refusal): Promise<Outcome> {
  const now = services.clock.now()
  return await services.store.write(
    write.claim.caller.storeScope,
    async (tx) => {
      const known = await findOutcome(tx, write.claim, services.sealer, now)
      return known ?? storeRefusedOutcome(write, tx, refusal, now)
    },
    find_first,
  )
}

function storeRefusedOutcome(write: Write, tx: Tx, refusal: Refusal, now: number): Outcome {
  const outcome: Outcome = { status: refusal.status, body: null, refusal, original: null, events: [] }
  storeOutcome(tx, write.claim, outcome, null, now)
  return outcome
}

/** Phases 2 to 5: finds the target, runs the handler, and writes events, audit entry and answer. */
export async function execute(
  services: Services,
  write: Write,
  tx: Tx,
  prepared: unknown,
  now: number,
): Promise<Outcome> {
  const { operation, claim } = write
  const outbox = new Outbox()
  let handled: { readonly result: object; readonly note: AuditNote }
  try {
    handled = await runHandler(services, write, { tx, prepared, now }, outbox)
  } catch (error) {
    if (error instanceof Refusal && isStored(error) && !tx.dirty) return storeRefusedOutcome(write, tx, error, now)
    throw error
  }
  const { note } = handled
  const { caller } = claim
  const result = caller.guest === null ? handled.result : await asCallerSees(handled.result, { reader: tx, caller })
  const isRecorded = outbox.size > 0 || note.unannounced === true
  const events = isRecorded ? await record(write, tx, outbox, note, now) : []
  const shown = services.versions.downgradeResponse(write.version, operation.id, result)
  const main = isRecorded ? outbox.first() : undefined
  const text = main !== undefined && main.after === shown ? main.text : JSON.stringify(shown)
  const outcome: Outcome = { status: 200, body: text, refusal: null, original: null, events }
  if (operation.sealed) storeOutcome(tx, claim, outcome, services.sealer, now)
  else if (main?.text === text) storeEventReference(tx, claim, outcome, main, now)
  else storeOutcome(tx, claim, outcome, null, now)
  return outcome
}

/** Finds the target and runs the operation's handler, which emits into the outbox. */
async function runHandler(
  services: Services,
  write: Write,
  { tx, prepared, now }: { readonly tx: Tx; readonly prepared: unknown; readonly now: number },
  outbox: Outbox,
): Promise<{ readonly result: object; readonly note: AuditNote }> {
  const { operation, claim, params, body, workspace, precondition, version } = write
  const { caller } = claim
  let note: AuditNote = {}
  const found = await findTarget(operation, {
    reader: tx,
    caller,
    params,
    workspace,
    precondition,
  })
  const context = {
    ...found,
    params,
    caller,
    body,
    query: write.query,
    upload: write.upload,
    tx,
    now,
    sealer: services.sealer,
    ai: services.settings.ai,
    versions: services.versions,
    prepared,
    version,
    precondition,
    requestId: claim.requestId,
    emit: (type: EventType, after: object, before?: object) => outbox.emit(type, after, before),
    note: (more: AuditNote) => {
      note = { ...note, ...more }
    },
  }
  const result = await operation.handle(context)
  return { result, note }
}

/** Records events and audit entry. A write that changed nothing has neither; an unannounced one has only the latter. */
async function record(write: Write, tx: Tx, outbox: Outbox, note: AuditNote, now: number): Promise<string[]> {
  const { caller, key, requestId } = write.claim
  const cause: ChangeCause = {
    organization: caller.organization,
    realms: write.realms,
    actor: actorOf(caller),
    credential: caller.credential,
    request: requestId,
    idempotencyKey: key,
    causes: null,
    source: { ip: write.request.ip, user_agent: readUserAgent(write.request) },
  }
  const action = write.operation.id
  const actions = note.targets?.map((target) => {
    return { action, note: { ...note, target }, changed_fields: changedFields(write, outbox.about(target.id)) }
  }) ?? [{ action, note, changed_fields: changedFields(write, outbox.first()) }]
  return await recordChange(tx, cause, outbox, actions, now)
}

/** Field names: of an update those that differ, otherwise those that the request sent. */
function changedFields(write: Write, main: ReturnType<Outbox['first']>): string[] {
  const previous = main === undefined || main.type.rank >= 5 ? null : previousOf(main)
  if (previous !== null) return listedFields(previous)
  return main?.type.rank === 5 ? Object.keys(write.body).filter((name) => name !== 'workspace') : []
}
