/**
 * Idempotency records (contract/03). A write's answer is stored in the write's own transaction, so it exists exactly when
 * the change does. Stored are 2xx answers and refusals that the operation decided, never refusals of the rules before it.
 * An answer with a secret is sealed and readable only through the same credential. An answer equal to the object of the
 * write's own event is stored as a reference to that event, which outlives the record.
 */
import { hash } from 'node:crypto'
import { type Placeholder, query } from '../../db/query.ts'
import type { IdempotencyRow } from '../../db/schema.ts'
import { answerContext } from '../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Caller } from '../declare/caller.ts'
import { looksLikeCredential } from '../declare/credential-format.ts'
import { Refusal, refuse } from '../declare/errors.ts'
import type { Request } from '../declare/request.ts'
import { limits } from '../limits.ts'
import { parseIdempotencyKey } from '../request/http-tags.ts'
import { objectText } from './outbox.ts'

const findRecord = query((db, p: Placeholder<{ realm: number; credential: string; key: string }>) =>
  db
    .selectFrom('idempotency')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key')),
)

const removeRecord = query((db, p: Placeholder<{ realm: number; credential: string; key: string }>) =>
  db
    .deleteFrom('idempotency')
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key')),
)

const removeClaim = query((db, p: Placeholder<{ realm: number; credential: string; key: string; request: string }>) =>
  db
    .deleteFrom('idempotency')
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key'))
    .where('state', '=', 'claimed')
    .where('request', '=', p('request')),
)

const findEvent = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db.selectFrom('events').select('data').where('realm', '=', p('realm')).where('sequence', '=', p('sequence')),
)

/** What a record's `body` holds once the write is done: the answer, the sealed answer, or the event that contains it and its length. */
const body_kinds = { text: 0, sealed: 1, event: 2 } as const

/** The key of a write, unquoted. Refuses a missing or malformed one, or one sent twice. */
export function readIdempotencyKey(request: Request): string {
  const sent = request.headerValues('idempotency-key')
  if (sent.length === 0) throw refuse('idempotency_key_required', { param: 'Idempotency-Key' })
  const parsed = parseIdempotencyKey(sent)
  if (!parsed.ok) throw refuse('invalid_idempotency_key', { param: 'Idempotency-Key', message: parsed.message })
  // A credential sent in the wrong header must not be stored in the clear.
  if (looksLikeCredential(parsed.key)) {
    throw refuse('invalid_idempotency_key', {
      param: 'Idempotency-Key',
      message: 'A credential cannot be used as the key.',
    })
  }
  return parsed.key
}

/** SHA-256 over method, path, query, body and If-Match: equal for a repeated request (contract/03#fingerprint). */
export function fingerprint(request: Request, texts: ReadonlyMap<string, string[]>, body: unknown): string {
  const query = [...texts].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = [
    request.method,
    request.path,
    JSON.stringify(query),
    // No body and an empty body mean the same.
    canonicalJson(body ?? {}),
    String(request.headers['if-match'] ?? ''),
  ].join('\n')
  return hash('sha256', text, 'hex')
}

/** The key of a write with its caller and its request. */
export interface Claim {
  readonly caller: Caller
  readonly key: string
  readonly fingerprint: string
  readonly requestId: string
}

/** The outcome of a write, new or replayed. */
export interface Outcome {
  readonly status: number
  /** The body of a success. */
  readonly body: string | null
  readonly refusal: Refusal | null
  /** On a replay, the id of the request that got this answer first. */
  readonly original: string | null
  readonly events: readonly string[]
}

interface StoredRefusal {
  readonly code: Refusal['code']
  readonly message: string
  readonly param: string | null
}

/**
 * The outcome stored for this key; null without one, or when it is 24 hours old. Refuses a key that was used with other
 * input, and a key whose first request is still making its outside call. Removes an expired claim and the request's own.
 */
export async function findOutcome(
  tx: Tx,
  claim: Claim,
  sealer: Sealer,
  now: number,
  ended: string | null = null,
): Promise<Outcome | null> {
  const id = { realm: claim.caller.realm, credential: claim.caller.credential, key: claim.key }
  const row = await tx.first(findRecord, id)
  if (row === undefined) return null
  const isClaimed = row.state === 'claimed'
  const isLost = row.request === claim.requestId || now >= (row.lease_until ?? 0) || row.body === ended
  const isExpired = isClaimed && isLost
  if (isExpired || now - row.created >= limits.idempotency_window_ms) {
    tx.write(removeRecord, id)
    return null
  }
  if (row.fingerprint !== claim.fingerprint) throw refuse('idempotency_key_reused', { param: 'Idempotency-Key' })
  if (isClaimed) throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  return await outcomeOf(tx, row, claim, sealer)
}

/** The outcome that a request would get as a replay, or null. Changes nothing. */
export async function findReplay(reader: Reader, claim: Claim, sealer: Sealer, now: number): Promise<Outcome | null> {
  const id = { realm: claim.caller.realm, credential: claim.caller.credential, key: claim.key }
  const row = await reader.first(findRecord, id)
  if (row === undefined || row.state === 'claimed' || row.fingerprint !== claim.fingerprint) return null
  return now - row.created >= limits.idempotency_window_ms ? null : await outcomeOf(reader, row, claim, sealer)
}

async function outcomeOf(reader: Reader, row: IdempotencyRow, claim: Claim, sealer: Sealer): Promise<Outcome> {
  // A repeated transaction that finds its own record was committed after all: this is no replay.
  const original = row.request === claim.requestId ? null : row.request
  const text =
    row.sealed === body_kinds.sealed ? sealer.open(row.body, sealContext(claim)) : await storedAnswer(reader, row)
  if (row.status < 300) return { status: row.status, body: text, refusal: null, original, events: [] }
  const kept = JSON.parse(text) as StoredRefusal
  const refusal = new Refusal(kept.code, {
    message: kept.message,
    ...(kept.param === null ? {} : { param: kept.param }),
  })
  return { status: row.status, body: null, refusal, original, events: [] }
}

/** The stored answer of a record that is not sealed. */
export async function storedAnswer(
  reader: Reader,
  { realm, sealed, body }: Pick<IdempotencyRow, 'realm' | 'sealed' | 'body'>,
): Promise<string> {
  if (sealed !== body_kinds.event) return body
  const [sequence, chars] = body.split(' ').map(Number) as [number, number]
  const event = await reader.first(findEvent, { realm, sequence })
  if (event === undefined) throw new Error('the event that contains a stored answer is missing')
  return objectText(event.data, chars)
}

/** Whether a write with this key has an outcome or is running. */
export async function isKeyKnown(reader: Reader, { caller, key }: Pick<Claim, 'caller' | 'key'>): Promise<boolean> {
  return (await reader.first(findRecord, { realm: caller.realm, credential: caller.credential, key })) !== undefined
}

/** Reads a key's record before `findOutcome` needs it. */
export async function prefetchRecord(reader: Reader, { caller, key }: Claim): Promise<void> {
  await reader.first(findRecord, { realm: caller.realm, credential: caller.credential, key })
}

/** Whether the operation itself decided this refusal, so that it is stored (contract/03#stored-answers). */
export function isStored(refusal: Refusal): boolean {
  return (
    stored_statuses.has(refusal.status) || refusal.code.startsWith('webhook_') || refusal.code === 'invalid_webhook_url'
  )
}

const stored_statuses: ReadonlySet<number> = new Set([404, 409, 410])

/** Stores an outcome in the open transaction; sealed when a sealer is given. */
export function storeOutcome(tx: Tx, claim: Claim, outcome: Outcome, sealer: Sealer | null, now: number): void {
  const { refusal } = outcome
  const text = refusal === null ? (outcome.body as string) : JSON.stringify(toStoredRefusal(refusal))
  tx.insert('idempotency', {
    ...newRecord(claim, now),
    state: 'done',
    status: outcome.status,
    body: sealer === null ? text : sealer.seal(text, sealContext(claim)),
    sealed: sealer === null ? body_kinds.text : body_kinds.sealed,
  })
}

/** Stores a success as a reference to an event of the same transaction whose object equals the answer. */
export function storeEventReference(
  tx: Tx,
  claim: Claim,
  { status }: Outcome,
  { sequence, text }: { readonly sequence: number; readonly text: string },
  now: number,
): void {
  const body = `${sequence} ${text.length}`
  tx.insert('idempotency', { ...newRecord(claim, now), state: 'done', status, body, sealed: body_kinds.event })
}

/**
 * Claims the key before an outside call. If the process ends, the next request with the key takes the claim over; one
 * that names no process ends with its lease (contract/03#outside-calls).
 */
export function claimKey(tx: Tx, claim: Claim, process: string, now: number): void {
  const lease_until = now + limits.idempotency_lease_ms
  tx.insert('idempotency', { ...newRecord(claim, now), state: 'claimed', body: process, lease_until })
}

/** The process that has claimed a key; null if the key is not claimed or the claim names no process. */
export async function claimantOf(reader: Reader, { caller, key }: Claim): Promise<string | null> {
  const row = await reader.first(findRecord, { realm: caller.realm, credential: caller.credential, key })
  return row?.state === 'claimed' && row.body !== '' ? row.body : null
}

/** Releases a claim that led to no outcome. */
export function releaseClaim(tx: Tx, claim: Claim): void {
  const { realm, credential } = claim.caller
  tx.write(removeClaim, { realm, credential, key: claim.key, request: claim.requestId })
}

/** Removes a key's record inside a dry run, which shows what a new key would do. */
export function removeStored(tx: Tx, { caller, key }: Claim): void {
  tx.write(removeRecord, { realm: caller.realm, credential: caller.credential, key })
}

function newRecord({ caller, key, fingerprint, requestId }: Claim, now: number): IdempotencyRow {
  const { realm, credential } = caller
  const claimed = { realm, credential, key, fingerprint, request: requestId, created: now }
  return { ...claimed, state: '', status: 0, body: '', sealed: 0, lease_until: null }
}

function toStoredRefusal(refusal: Refusal): StoredRefusal {
  return { code: refusal.code, message: refusal.message, param: refusal.options.param ?? null }
}

function sealContext(claim: Claim): string {
  return answerContext(claim.caller.realm, claim.caller.credential, claim.key)
}
