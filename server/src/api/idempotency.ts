/**
 * Idempotency keys (contract §4.1, decisions §3): the answer of a write is kept in the write's own transaction, so it
 * is there exactly when the change is. Kept: 2xx and what the operation itself decided; never what the rules before it
 * refused. An answer that holds a secret is kept sealed, readable again only through the same credential; one that is
 * told by the write's own event to the letter is kept there only, since events outlive records. An operation that calls
 * outside before its transaction first commits a claim, which holds twins off until it is decided, or over.
 */
import { hash } from 'node:crypto'
import { query } from '../db/query.ts'
import type { IdempotencyRow } from '../db/schema.ts'
import type { Reader, Tx } from '../db/store.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { looksLikeCredential } from '../lib/credential-format.ts'
import { parseIdempotencyKey } from '../lib/http-tags.ts'
import { limits } from '../lib/limits.ts'
import type { Sealer } from '../lib/seal.ts'
import type { Caller } from './caller.ts'
import { Refusal, refuse } from './errors.ts'
import { objectText } from './outbox.ts'
import type { Request } from './request.ts'

const findRecord = query((db, p) =>
  db
    .selectFrom('idempotency')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key')),
)

const removeRecord = query((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key')),
)

const removeClaim = query((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('realm', '=', p('realm'))
    .where('credential', '=', p('credential'))
    .where('key', '=', p('key'))
    .where('state', '=', 'claimed')
    .where('request', '=', p('request')),
)

const findEvent = query((db, p) =>
  db.selectFrom('events').select('data').where('realm', '=', p('realm')).where('sequence', '=', p('sequence')),
)

/** How the answer stands in a record's `body`: as it is, sealed, or as the event that tells it and its length. */
const kept_as = { text: 0, sealed: 1, event: 2 } as const

/** The key of a write, unquoted. Refuses a missing or malformed one, or one sent twice. */
export function readIdempotencyKey(request: Request): string {
  const sent = request.headerValues('idempotency-key')
  if (sent.length === 0) throw refuse('idempotency_key_required', { param: 'Idempotency-Key' })
  const parsed = parseIdempotencyKey(sent)
  if (!parsed.ok) throw refuse('invalid_idempotency_key', { param: 'Idempotency-Key', message: parsed.message })
  // A credential sent by mistake in the wrong header must not be kept in clear.
  if (looksLikeCredential(parsed.key)) {
    throw refuse('invalid_idempotency_key', { param: 'Idempotency-Key', message: 'A credential cannot be the key.' })
  }
  return parsed.key
}

/** SHA-256 of all that makes a request the same request. */
export function fingerprint(request: Request, texts: ReadonlyMap<string, string[]>, body: unknown): string {
  const query = [...texts].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = [
    request.method,
    request.path,
    JSON.stringify(query),
    // No body and an empty one ask for the same.
    canonicalJson((body ?? {}) as never),
    String(request.headers['if-match'] ?? ''),
  ].join('\n')
  return hash('sha256', text, 'hex')
}

/** What a write is remembered by. */
export interface Claim {
  readonly caller: Caller
  readonly key: string
  readonly fingerprint: string
  readonly requestId: string
}

/** The outcome of a write, fresh or replayed. */
export interface Outcome {
  readonly status: number
  /** The body of a success. */
  readonly body: string | null
  readonly refusal: Refusal | null
  /** The request that this answer was first given to, when it is a replay. */
  readonly original: string | null
  readonly events: readonly string[]
}

interface KeptRefusal {
  readonly code: Refusal['code']
  readonly message: string
  readonly param: string | null
}

/**
 * The outcome kept for a claim, unless there is none or its 24 hours are over. Refuses a key used with other input, and
 * one whose first request is still at its outside call. The request's own committed claim, or one that is over, ends here.
 */
export async function recall(tx: Tx, claim: Claim, sealer: Sealer, now: number): Promise<Outcome | null> {
  const place = { realm: claim.caller.realm, credential: claim.caller.credential, key: claim.key }
  const row = await tx.first(findRecord, place)
  if (row === undefined) return null
  const isOpen = row.state === 'claimed'
  const isOver = isOpen && (row.request === claim.requestId || now >= (row.lease_until ?? 0))
  if (isOver || now - row.created >= limits.idempotency_window_ms) {
    tx.write(removeRecord, place)
    return null
  }
  if (row.fingerprint !== claim.fingerprint) throw refuse('idempotency_key_reused', { param: 'Idempotency-Key' })
  if (isOpen) throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  // A repeated transaction finds its own record: the commit that seemed lost was not.
  const original = row.request === claim.requestId ? null : row.request
  const text = row.sealed === kept_as.sealed ? sealer.open(row.body, sealContext(claim)) : await keptText(tx, row)
  if (row.status < 300) return { status: row.status, body: text, refusal: null, original, events: [] }
  const kept = JSON.parse(text) as KeptRefusal
  const refusal = new Refusal(kept.code, {
    message: kept.message,
    ...(kept.param === null ? {} : { param: kept.param }),
  })
  return { status: row.status, body: null, refusal, original, events: [] }
}

/** The answer of a record that is not sealed. */
export async function keptText(
  reader: Reader,
  { realm, sealed, body }: Pick<IdempotencyRow, 'realm' | 'sealed' | 'body'>,
): Promise<string> {
  if (sealed !== kept_as.event) return body
  const [sequence, chars] = body.split(' ').map(Number) as [number, number]
  const event = await reader.first(findEvent, { realm, sequence })
  if (event === undefined) throw new Error('the event that tells a kept answer is gone')
  return objectText(event.data, chars)
}

/** Asks for a claim's record ahead of `recall`. */
export async function askRecord(reader: Reader, { caller, key }: Claim): Promise<void> {
  await reader.first(findRecord, { realm: caller.realm, credential: caller.credential, key })
}

/** Whether a refusal was decided by the operation itself and is kept. */
export function isKept(refusal: Refusal): boolean {
  return (
    kept_statuses.has(refusal.status) || refusal.code.startsWith('webhook_') || refusal.code === 'invalid_webhook_url'
  )
}

const kept_statuses: ReadonlySet<number> = new Set([404, 409, 410])

/** Keeps an outcome in the open transaction. */
export function keep(tx: Tx, claim: Claim, outcome: Outcome, sealer: Sealer | null, now: number): void {
  const { refusal } = outcome
  const text = refusal === null ? (outcome.body as string) : JSON.stringify(keptRefusal(refusal))
  tx.insert('idempotency', {
    ...newRecord(claim, now),
    state: 'done',
    status: outcome.status,
    body: sealer === null ? text : sealer.seal(text, sealContext(claim)),
    sealed: sealer === null ? kept_as.text : kept_as.sealed,
  })
}

/** Keeps a success that an event of the same transaction tells: `text` is the answer and the object of the event alike. */
export function keepEvent(
  tx: Tx,
  claim: Claim,
  { status }: Outcome,
  { sequence, text }: { readonly sequence: number; readonly text: string },
  now: number,
): void {
  const body = `${sequence} ${text.length}`
  tx.insert('idempotency', { ...newRecord(claim, now), state: 'done', status, body, sealed: kept_as.event })
}

/** Claims the key for the outside call that comes; whatever becomes of the process, the claim is over after its lease. */
export function hold(tx: Tx, claim: Claim, now: number): void {
  const lease_until = now + limits.idempotency_lease_ms
  tx.insert('idempotency', { ...newRecord(claim, now), state: 'claimed', lease_until })
}

/** Gives a claim back that came to no outcome. */
export function release(tx: Tx, claim: Claim): void {
  const { realm, credential } = claim.caller
  tx.write(removeClaim, { realm, credential, key: claim.key, request: claim.requestId })
}

/** Removes the record of a claim: for a transaction that is rolled back, and tries what a new key would do. */
export function forget(tx: Tx, { caller, key }: Claim): void {
  tx.write(removeRecord, { realm: caller.realm, credential: caller.credential, key })
}

function newRecord({ caller, key, fingerprint, requestId }: Claim, now: number): IdempotencyRow {
  const { realm, credential } = caller
  const place = { realm, credential, key, fingerprint, request: requestId, created: now }
  return { ...place, state: '', status: 0, body: '', sealed: 0, lease_until: null }
}

function keptRefusal(refusal: Refusal): KeptRefusal {
  return { code: refusal.code, message: refusal.message, param: refusal.options.param ?? null }
}

function sealContext(claim: Claim): string {
  return `idempotency ${claim.caller.realm} ${claim.caller.credential} ${claim.key}`
}
