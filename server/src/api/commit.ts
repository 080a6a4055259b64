/**
 * A write is one transaction: the idempotency look-up, the target, the change, its events, its audit entry and the
 * record of its answer commit together or not at all (decisions §3). A handler gets the transaction and nothing else,
 * so it cannot forget any of them, nor send anything before the commit.
 */
import type { Reader, Tx } from '../db/store.ts'
import { actorOf } from './actor.ts'
import { appendAudit, workspaceOf } from './audit.ts'
import type { Precondition } from './conditional.ts'
import { Refusal, refuse } from './errors.ts'
import type { EventType } from './event.ts'
import { askRecord, type Claim, hold, isKept, keep, keepEvent, type Outcome, recall, release } from './idempotency.ts'
import { readUserAgent } from './log-request.ts'
import type { AuditNote, Operation } from './operation.ts'
import { type Cause, Outbox, previousOf } from './outbox.ts'
import type { Request } from './request.ts'
import type { Services } from './services.ts'
import { findTarget } from './target.ts'

/** A write whose input is checked. */
export interface Write {
  readonly operation: Operation
  readonly request: Request
  readonly claim: Claim
  readonly params: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly workspace: string | undefined
  readonly precondition: Precondition | null
  readonly version: string
}

/** Carries a write out, once for each idempotency key. Rejects with a refusal that is not kept, or StoreUnavailable. */
export async function commit(services: Services, write: Write): Promise<Outcome> {
  const { claim } = write
  const running = nameOf(claim)
  if (services.inProgress.has(running))
    throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  services.inProgress.add(running)
  try {
    const outcome = await attempt(services, write)
    if (outcome.refusal === null) write.operation.afterCommit?.(services)
    if (outcome.events.length > 0) services.committed(claim.caller.realm)
    return outcome
  } finally {
    services.inProgress.delete(running)
  }
}

/** What a running write is known by in `services.inProgress`. */
export function nameOf({ caller, key }: Claim): string {
  return `${caller.realm} ${caller.credential} ${key}`
}

/** Every write looks for its own record first, so it may be repeated when a commit was not answered. */
const recorded = { recorded: true }

async function attempt(services: Services, write: Write): Promise<Outcome> {
  if (write.operation.prepare === null) return await transact(services, write, undefined)
  const known = await claimKey(services, write)
  if (known !== null) return known
  try {
    const prepared = await prepare(services, write)
    return 'outcome' in prepared ? prepared.outcome : await transact(services, write, prepared.value)
  } catch (error) {
    await giveBack(services, write)
    throw error
  }
}

async function transact(services: Services, write: Write, prepared: unknown): Promise<Outcome> {
  const { claim } = write
  const now = services.clock.now()
  try {
    return await services.store.write(
      claim.caller.storeScope,
      async (tx) => {
        const known = await recall(tx, claim, services.sealer, now)
        return known ?? (await carryOut(services, write, tx, prepared, now))
      },
      { recorded: true, ahead: (reader) => askAhead(reader, write) },
    )
  } catch (error) {
    // Refused after it had written: that transaction is gone, its answer is kept by another.
    if (!(error instanceof Refusal) || !isKept(error) || isAboutKey(error)) throw error
    return await keepRefusal(services, write, error)
  }
}

/** What every run of this write looks for first. */
async function askAhead(reader: Reader, { operation, claim, params, workspace, precondition }: Write): Promise<void> {
  const sought = { reader, caller: claim.caller, params, workspace, precondition }
  await Promise.all([askRecord(reader, claim), findTarget(operation, sought)])
}

function isAboutKey(refusal: Refusal): boolean {
  return refusal.code === 'idempotency_key_reused' || refusal.code === 'idempotency_in_progress'
}

/** The outcome of an earlier request with this key; where there is none, a committed claim keeps twins off. */
async function claimKey(services: Services, { claim }: Write): Promise<Outcome | null> {
  const now = services.clock.now()
  return await services.store.write(
    claim.caller.storeScope,
    async (tx) => {
      const known = await recall(tx, claim, services.sealer, now)
      if (known === null) hold(tx, claim, now)
      return known
    },
    recorded,
  )
}

/** Frees the key of a write that failed without an outcome. If even that fails, the claim ends with its lease. */
async function giveBack(services: Services, { claim }: Write): Promise<void> {
  await services.store.write(claim.caller.storeScope, async (tx) => release(tx, claim), recorded).catch(() => {})
}

/** The outside call of an operation that needs one, made while no transaction is open. A refusal of its own is kept. */
async function prepare(services: Services, write: Write): Promise<{ value: unknown } | { outcome: Outcome }> {
  try {
    return { value: await callOutside(services, write) }
  } catch (error) {
    if (!(error instanceof Refusal) || !isKept(error)) throw error
    return { outcome: await keepRefusal(services, write, error) }
  }
}

/** What the operation's `prepare` finds out; rejects with its refusal. */
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
    reader,
    services,
    version: write.version,
    now: services.clock.now(),
    requestId: claim.requestId,
  }
  return await operation.prepare?.(context as never)
}

async function keepRefusal(services: Services, write: Write, refusal: Refusal): Promise<Outcome> {
  const now = services.clock.now()
  return await services.store.write(
    write.claim.caller.storeScope,
    async (tx) => {
      const known = await recall(tx, write.claim, services.sealer, now)
      return known ?? refused(write, tx, refusal, now)
    },
    recorded,
  )
}

function refused(write: Write, tx: Tx, refusal: Refusal, now: number): Outcome {
  const outcome: Outcome = { status: refusal.status, body: null, refusal, original: null, events: [] }
  keep(tx, write.claim, outcome, null, now)
  return outcome
}

/** Finds the target, lets the handler work, and writes what belongs to the change. */
export async function carryOut(
  services: Services,
  write: Write,
  tx: Tx,
  prepared: unknown,
  now: number,
): Promise<Outcome> {
  const { operation, claim, params, body } = write
  const { caller } = claim
  const outbox = new Outbox()
  let note: AuditNote = {}
  let result: object
  try {
    const found = await findTarget(operation, {
      reader: tx,
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
      tx,
      now,
      services,
      prepared,
      version: write.version,
      precondition: write.precondition,
      requestId: claim.requestId,
      emit: (type: EventType, after: object, before?: object) => outbox.emit(type, after, before),
      note: (more: AuditNote) => {
        note = { ...note, ...more }
      },
    }
    result = (await operation.handle(context as never)) as object
  } catch (error) {
    if (error instanceof Refusal && isKept(error) && !tx.dirty) return refused(write, tx, error, now)
    throw error
  }
  const isRecorded = outbox.size > 0 || note.unannounced === true
  const events = isRecorded ? await record(write, tx, outbox, note, now) : []
  const shown = services.versions.downgradeResponse(write.version, operation.id, result)
  const main = isRecorded ? outbox.first() : undefined
  const text = main !== undefined && main.after === shown ? main.text : JSON.stringify(shown)
  const outcome: Outcome = { status: 200, body: text, refusal: null, original: null, events }
  if (operation.sealed) keep(tx, claim, outcome, services.sealer, now)
  else if (main?.text === text) keepEvent(tx, claim, outcome, main, now)
  else keep(tx, claim, outcome, null, now)
  return outcome
}

/** Events and the audit entry; a write that changed nothing has neither, one that no event tells of the latter only. */
async function record(write: Write, tx: Tx, outbox: Outbox, note: AuditNote, now: number): Promise<string[]> {
  const { caller, key, requestId } = write.claim
  const heads = await tx.heads(caller.organization)
  const cause: Cause = {
    organization: caller.organization,
    actor: actorOf(caller),
    credential: caller.credential,
    request: requestId,
    idempotencyKey: key,
    causes: null,
  }
  const events = await outbox.write(tx, heads, [caller.realm], cause, now)
  const main = outbox.first()
  const after = main?.after as Record<string, unknown> | undefined
  appendAudit(
    tx,
    heads,
    { organization: caller.organization, realm: caller.realm, now },
    {
      mode: caller.mode,
      action: write.operation.id,
      actor: cause.actor,
      credential: caller.credential,
      target: note.target ?? { object: String(after?.object), id: String(after?.id) },
      room: note.room ?? null,
      workspace: note.target?.workspace ?? workspaceOf(after),
      request: requestId,
      changed_fields: changedFields(write, main),
      reason: note.reason ?? null,
      source: { ip: write.request.ip, user_agent: readUserAgent(write.request) },
    },
  )
  return events
}

/** Names only: of an update what differs, of anything else what the request set. */
function changedFields(write: Write, main: ReturnType<Outbox['first']>): string[] {
  const previous = main === undefined || main.type.rank >= 5 ? null : previousOf(main)
  if (previous !== null) return Object.keys(previous).filter((name) => name !== 'updated' && name !== 'revision')
  return main?.type.rank === 5 ? Object.keys(write.body).filter((name) => name !== 'workspace') : []
}
