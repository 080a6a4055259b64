/**
 * Dry runs (contract/17#dry-run): a write sent with `Prefer: dry-run` (RFC 7240) runs the same code in a transaction that
 * is always rolled back, and answers with the answer, the events and the price of the real write.
 * Invariant: only the request log entry and one credit remain; no worker is woken and no outside call is made.
 */
import Type, { type Static } from 'typebox'
import { type Placeholder, query } from '../../db/query.ts'
import type { Egress, EgressRequest, EgressResult } from '../../egress/egress.ts'
import type { Files } from '../../files/files.ts'
import type { WakeUps } from '../../lib/wake-ups.ts'
import { refuse } from '../declare/errors.ts'
import type { Operation } from '../declare/operation.ts'
import type { Answer, Request } from '../declare/request.ts'
import { described, Id } from '../declare/shapes.ts'
import { limits } from '../limits.ts'
import type { Services } from '../services.ts'
import { Event, showEvent } from '../stream/shape.ts'
import { callOutside, execute, runningKey, scopeOfWrite, type Write } from './commit.ts'
import { findOutcome, removeStored } from './idempotency.ts'

/** A call that the real request would make and the dry run does not. */
const SkippedCall = Type.Object({
  method: described(Type.String(), 'HTTP method of the call.'),
  url: described(Type.String(), 'URL that would be called.'),
})
type SkippedCall = Static<typeof SkippedCall>

/** The answer to a dry run. The new ids in `answer` and `events` name no objects. */
export const DryRun = Type.Object({
  object: described(Type.Literal('dry_run'), 'Kind of object: always `dry_run`.'),
  operation: Type.String({ description: 'Id of the operation.' }),
  status: Type.Integer({ description: 'Status that the write would answer.' }),
  answer: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What the write would answer; secrets are replaced by `<SECRET>`.',
  }),
  events: Type.Array(Event, {
    maxItems: limits.dry_run_events_max,
    description: `The first ${limits.dry_run_events_max} events that the write would emit.`,
  }),
  event_count: Type.Integer({ minimum: 0, description: 'Number of events that the write would emit.' }),
  credits: Type.Integer({ minimum: 1, description: 'Credits that the write would cost.' }),
  replays: Type.Union([Id, Type.Null()], {
    description:
      'Request whose stored answer the write would replay with this Idempotency-Key; null if the key is new.',
  }),
  skipped_calls: Type.Array(SkippedCall, {
    description:
      'Outgoing calls that the write makes before its change. A dry run skips them, so their success is unknown.',
  }),
})

/**
 * Whether the request asks for a dry run. The first `dry-run` preference counts, with any value except `false`: a write
 * must not happen because of a misspelled value. Other preferences are ignored.
 */
export function isDryRun({ headers }: Request): boolean {
  if (headers.prefer === undefined) return false
  for (const member of splitUnquoted(String(headers.prefer), ',')) {
    // preference = token [= value] *( ; parameter ); parameters have no meaning here (RFC 7240 section 2).
    const [preference = ''] = splitUnquoted(member, ';')
    const [token = '', value = ''] = splitUnquoted(preference, '=')
    if (token.trim().toLowerCase() === 'dry-run') return value.replaceAll('"', '').trim().toLowerCase() !== 'false'
  }
  return false
}

/** Splits at separators outside quotes. An unclosed quote extends to the end. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted
    else if (text[i] === '\\' && isQuoted) i++
    else if (text[i] === separator && !isQuoted) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

/** Answers with what the write would do. Rejects with the refusal that the write would get. */
export async function dryRun(services: Services, write: Write): Promise<Answer> {
  const { operation, claim, version } = write
  if (services.inProgress.has(runningKey(claim))) {
    throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  }
  const skipped: SkippedCall[] = []
  const harmless = withoutOutsideEffects(services, skipped)
  const { original, outcome, rows, count } = await rehearse(services, harmless, write)
  if (outcome.refusal !== null) throw outcome.refusal
  const events = rows.map((row) => services.versions.downgradeEvent(version, showEvent(row, claim.caller)))
  const body: Static<typeof DryRun> = {
    object: 'dry_run',
    operation: operation.id,
    status: outcome.status,
    answer: withoutSecrets(JSON.parse(outcome.body as string)),
    events: events as Event[],
    event_count: count,
    credits: operation.credits,
    replays: original,
    skipped_calls: skipped,
  }
  return { status: 200, headers: { 'Content-Type': dry_run_type }, body: JSON.stringify(body) }
}

/** The profile parameter distinguishes a dry run's answer from the object itself. */
const dry_run_type = 'application/json; charset=utf-8; profile=dry-run'

async function rehearse(services: Services, harmless: Services, write: Write) {
  const { operation, claim } = write
  const { caller } = claim
  const { store, sealer } = services
  const now = services.clock.now()
  let prepared: unknown
  if (operation.prepare !== undefined) {
    // As in the write itself, a reused key is refused before the outside call.
    await store.rehearse(caller.storeScope, (tx) => findOutcome(tx, claim, sealer, now))
    prepared = await callOutside(harmless, write)
  }
  return await store.rehearse(scopeOfWrite(write), async (tx) => {
    const known = await findOutcome(tx, claim, sealer, now)
    // Show what a new key would do, not the stored answer.
    if (known !== null) removeStored(tx, claim)
    const sequence = (await tx.heads(caller.organization)).events.get(caller.realm) ?? 0
    const outcome = await execute(harmless, write, tx, prepared, now)
    const range = { realm: caller.realm, sequence, count: limits.dry_run_events_max }
    // Events are closed to guests: some are about objects that a guest does not see, such as the parent of a task.
    const count = caller.guest === null ? outcome.events.length : 0
    const rows = count === 0 ? [] : await tx.all(eventsAfter, range)
    return { original: known?.original ?? null, outcome, rows, count }
  })
}

const eventsAfter = query((db, p: Placeholder<{ realm: number; sequence: number; count: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

/** The services with every outside effect disabled; skipped calls are collected. */
function withoutOutsideEffects(services: Services, skipped: SkippedCall[]): Services {
  const { egress, files, wakeUps } = services
  const send = async ({ method, url }: EgressRequest): Promise<EgressResult> => {
    skipped.push({ method, url: url.href })
    return { ok: true, status: 204, headers: {}, body: Buffer.alloc(0) }
  }
  return {
    ...services,
    egress: Object.assign(Object.create(egress), { send }) as Egress,
    committed: () => {},
    files: Object.assign(Object.create(files), { keep: async () => {} }) as Files,
    wakeUps: Object.assign(Object.create(wakeUps), { call: () => {} }) as WakeUps,
  }
}

const secret_name = /(?:^|_)(?:secret|token)$/

/** The fields of an operation's answer that hold secrets, by their names. */
export function secretFields(operation: Operation): string[] {
  const { properties } = operation.returns as { properties?: object }
  return Object.keys(properties ?? {}).filter((name) => secret_name.test(name))
}

/** Replaces secrets by placeholders, in URLs too: a secret of a rolled-back write is not valid. */
function withoutSecrets(answer: Record<string, unknown>): Record<string, unknown> {
  const secrets = Object.entries(answer).filter(([name, value]) => secret_name.test(name) && typeof value === 'string')
  const shown = Object.entries(answer).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value]
    return [
      name,
      secrets.reduce((text, [of, secret]) => text.replaceAll(String(secret), `<${of.toUpperCase()}>`), value),
    ]
  })
  return Object.fromEntries(shown)
}
