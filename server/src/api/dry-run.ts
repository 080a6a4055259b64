/**
 * Dry runs: a write sent with `Prefer: dry-run` (RFC 7240) is carried out by the same code in a transaction that is always
 * rolled back, and answered with what it would have answered, what it would have told, and what it would have cost.
 * Invariant: nothing remains but an entry of the request log and the one credit; nothing is woken, nobody is called.
 */
import Type, { type Static } from 'typebox'
import { query } from '../db/query.ts'
import type { Egress, EgressRequest, EgressResult } from '../lib/egress.ts'
import { limits } from '../lib/limits.ts'
import type { WakeUps } from '../lib/wake-ups.ts'
import { callOutside, carryOut, nameOf, type Write } from './commit.ts'
import { refuse } from './errors.ts'
import { Event, showEvent } from './event-shape.ts'
import { forget, recall } from './idempotency.ts'
import type { Operation } from './operation.ts'
import type { Answer, Request } from './request.ts'
import type { Services } from './services.ts'
import { Id } from './shapes.ts'

/** A call that the real request would make and the dry run does not. */
const SkippedCall = Type.Object({ method: Type.String(), url: Type.String() })
type SkippedCall = Static<typeof SkippedCall>

/** What a dry run is answered with. Ids that it made, in `answer` and `events`, stand for nothing. */
export const DryRun = Type.Object({
  object: Type.Literal('dry_run'),
  operation: Type.String({ description: 'The operation that would have run.' }),
  status: Type.Integer({ description: 'The status of the answer.' }),
  answer: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What the write would answer. A secret is replaced by its name: `<SECRET>`.',
  }),
  events: Type.Array(Event, {
    maxItems: limits.dry_run_events_max,
    description: `The events that would be emitted, the first ${limits.dry_run_events_max} of them.`,
  }),
  event_count: Type.Integer({ minimum: 0, description: 'How many events it would be.' }),
  credits: Type.Integer({ minimum: 1, description: 'What the write would be charged.' }),
  replays: Type.Union([Id, Type.Null()], {
    description:
      'The request whose kept answer the write would get with this Idempotency-Key, and do nothing; `null` when the key is new.',
  }),
  skipped_calls: Type.Array(SkippedCall, {
    description: 'Calls to the outside that the write makes before its change: they may fail, which is not told here.',
  }),
})

/**
 * Whether a write is asked for as a dry run. Other preferences are ignored, of several alike the first counts, and so
 * does any value but `false`: a write must not happen because its safety was misspelt.
 */
export function asksDryRun({ headers }: Request): boolean {
  if (headers.prefer === undefined) return false
  for (const member of splitUnquoted(String(headers.prefer), ',')) {
    // A token, perhaps with a value, and parameters, which are of no use here (RFC 7240 §2).
    const [preference = ''] = splitUnquoted(member, ';')
    const [token = '', value = ''] = splitUnquoted(preference, '=')
    if (token.trim().toLowerCase() === 'dry-run') return value.replaceAll('"', '').trim().toLowerCase() !== 'false'
  }
  return false
}

/** The parts of a text between separators that stand outside of quotes; a quote that is not closed reaches to the end. */
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

/** What the write would answer. Rejects with the refusal that it would be given. */
export async function dryRun(services: Services, write: Write): Promise<Answer> {
  const { operation, claim, version } = write
  if (services.inProgress.has(nameOf(claim))) {
    throw refuse('idempotency_in_progress', { param: 'Idempotency-Key', retryAfter: 1 })
  }
  const skipped: SkippedCall[] = []
  const still = unable(services, skipped)
  const { original, outcome, rows } = await rehearse(services, still, write)
  if (outcome.refusal !== null) throw outcome.refusal
  const events = rows.map((row) => services.versions.downgradeEvent(version, showEvent(row, claim.caller.mode)))
  const body: Static<typeof DryRun> = {
    object: 'dry_run',
    operation: operation.id,
    status: outcome.status,
    answer: withoutSecrets(JSON.parse(outcome.body as string)),
    events: events as Event[],
    event_count: outcome.events.length,
    credits: operation.credits,
    replays: original,
    skipped_calls: skipped,
  }
  return { status: 200, headers: { 'Content-Type': dry_run_type }, body: JSON.stringify(body) }
}

/** JSON as any other; the parameter keeps it apart from the object itself. */
const dry_run_type = 'application/json; charset=utf-8; profile=dry-run'

async function rehearse(services: Services, still: Services, write: Write) {
  const { operation, claim } = write
  const { caller } = claim
  const { store, sealer } = services
  const now = services.clock.now()
  let prepared: unknown
  if (operation.prepare !== null) {
    // A key that is used otherwise is refused before anything else is looked at, as by the write itself.
    await store.rehearse(caller.storeScope, (tx) => recall(tx, claim, sealer, now))
    prepared = await callOutside(still, write)
  }
  return await store.rehearse(caller.storeScope, async (tx) => {
    const known = await recall(tx, claim, sealer, now)
    // The kept answer is none of today's: what a new key would do is what was asked.
    if (known !== null) forget(tx, claim)
    const sequence = (await tx.heads(caller.organization)).events.get(caller.realm) ?? 0
    const outcome = await carryOut(still, write, tx, prepared, now)
    const told = { realm: caller.realm, sequence, count: limits.dry_run_events_max }
    const rows = outcome.events.length === 0 ? [] : await tx.all(eventsAfter, told)
    return { original: known?.original ?? null, outcome, rows }
  })
}

const eventsAfter = query((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

/** The services without any way to act outside of the transaction. */
function unable(services: Services, skipped: SkippedCall[]): Services {
  const { egress, wakeUps } = services
  const send = async ({ method, url }: EgressRequest): Promise<EgressResult> => {
    skipped.push({ method, url: url.href })
    return { ok: true, status: 204, headers: {}, body: Buffer.alloc(0) }
  }
  return {
    ...services,
    egress: Object.assign(Object.create(egress), { send }) as Egress,
    committed: () => {},
    wakeUps: Object.assign(Object.create(wakeUps), { call: () => {} }) as WakeUps,
  }
}

const secret_name = /(?:^|_)(?:secret|token)$/

/** Fields of an answer that hold what must be kept secret, by the operation's declaration. */
export function secretFields(operation: Operation): string[] {
  const { properties } = operation.returns as { properties?: object }
  return Object.keys(properties ?? {}).filter((name) => secret_name.test(name))
}

/** A secret that was made and rolled back opens nothing; in its place stands what nobody takes for one. */
function withoutSecrets(answer: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(answer).map(([name, value]) => {
    return [name, secret_name.test(name) && typeof value === 'string' ? `<${name.toUpperCase()}>` : value]
  })
  return Object.fromEntries(shown)
}
