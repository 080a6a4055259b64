/**
 * The transaction of a step: it stands only while the run is in this process's hands and as this process last left it. The
 * lease's owner, the epoch and the revision are looked at first; then comes what the step does; its events and audit
 * entries go with it (decisions §16).
 */
import { appendAudit } from '../../../api/audit.ts'
import type { Mode } from '../../../api/caller.ts'
import type { AuditNote } from '../../../api/operation.ts'
import { changed, Outbox } from '../../../api/outbox.ts'
import type { Services } from '../../../api/services.ts'
import { query, updateQuery } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { limits } from '../../../lib/limits.ts'
import type { RunWork } from '../queries-end.ts'
import type { Told } from './changes.ts'

export type RunServices = Pick<Services, 'store' | 'clock' | 'committed'>

const findHold = query((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['epoch', 'lease_owner', 'revision'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** `lost`: somebody else has the run, or it has ended. `stale`: an earlier try of this process's was committed after all. */
export type Hold = 'held' | 'lost' | 'stale'

async function holdOn(tx: Tx, run: AutomationRunRow): Promise<Hold> {
  const { realm, id, epoch, lease_owner, revision } = run
  const row = await tx.first(findHold, { realm, id })
  if (row === undefined || row.epoch !== epoch || row.lease_owner !== lease_owner) return 'lost'
  return row.revision === revision ? 'held' : 'stale'
}

/** What a step's transaction offers beyond what ending a run needs. */
export interface StepTransaction extends RunWork {
  readonly audit: NonNullable<RunWork['audit']>
}

export type InRun<T> = { readonly hold: 'held'; readonly value: T } | { readonly hold: 'lost' | 'stale' }

/**
 * Runs `handle` in a transaction in which the run is still held, and commits what it wrote, emitted and audited. It may be
 * run more than once, so it changes nothing but the transaction. What `look` reads is asked for together with the hold: on
 * PostgreSQL they share a round trip. Rejects as the store does, and with what `handle` throws.
 */
export async function inRun<T, S = undefined>(
  services: RunServices,
  run: AutomationRunRow,
  handle: (work: StepTransaction, seen: S) => Promise<T>,
  look: (tx: Tx, now: number) => Promise<S> = async () => undefined as S,
): Promise<InRun<T>> {
  return await inTransactionOf(services, run, async (work) => {
    const held = holdOn(work.tx, run)
    const [hold, seen] = await Promise.all([held, look(work.tx, work.now)])
    return hold === 'held' ? { hold, value: await handle(work, seen) } : { hold }
  })
}

/** The same, whoever holds the run: for beginning with it, and for what is true of it in any case. */
export async function inTransactionOf<T>(
  { store, clock, committed }: RunServices,
  run: Pick<AutomationRunRow, 'realm' | 'id' | 'organization' | 'automation_flow' | 'mode_of_data' | 'causes'>,
  handle: (work: StepTransaction) => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const { organization, realm } = run
  let told = false
  const value = await store.write(
    { organization, realms: [realm] },
    async (tx) => {
      const outbox = new Outbox()
      const audits: Audited[] = []
      const result = await handle({
        tx,
        now,
        emit: (event, after, before) => outbox.emit(event, after, before),
        audit: (action, note) => void audits.push({ action, note }),
      })
      told = outbox.size > 0
      await record(tx, run, outbox, audits, now)
      return result
    },
    { recorded: true },
  )
  if (told) committed(realm)
  return value
}

interface Audited {
  readonly action: string
  readonly note: AuditNote & { readonly workspace: string; readonly changed_fields?: readonly string[] }
}

async function record(
  tx: Tx,
  run: Pick<AutomationRunRow, 'realm' | 'organization' | 'automation_flow' | 'mode_of_data' | 'causes'>,
  outbox: Outbox,
  audits: readonly Audited[],
  now: number,
): Promise<void> {
  if (outbox.size === 0 && audits.length === 0) return
  const { realm, organization, automation_flow } = run
  const heads = await tx.heads(organization)
  const actor = { type: 'automation', id: automation_flow } as const
  const causes = [...(JSON.parse(run.causes) as string[]), automation_flow]
  const nobody = { credential: null, request: null, idempotencyKey: null }
  if (outbox.size > 0) await outbox.write(tx, heads, [realm], { organization, actor, ...nobody, causes }, now)
  for (const { action, note } of audits) {
    const entry = {
      mode: run.mode_of_data as Mode,
      action,
      actor,
      credential: null,
      target: note.target ?? { object: 'automation_flow', id: automation_flow },
      room: null,
      workspace: note.workspace,
      request: null,
      changed_fields: note.changed_fields ?? [],
      reason: note.reason ?? null,
      source: { ip: null, user_agent: null },
    }
    appendAudit(tx, heads, { organization, realm, now }, entry)
  }
}

/** The audit note of what a step told of: it is about the first object that it names. */
export function noteOf(told: readonly Told[], reason: string): Audited['note'] {
  const { after, before } = told[0] as Told
  const object = after as { id: string; object: string; workspace: string }
  const names = before === undefined ? [] : Object.keys(changed(before, after))
  return {
    target: { object: object.object, id: object.id },
    workspace: object.workspace,
    changed_fields: names.filter((name) => name !== 'updated' && name !== 'revision'),
    reason,
  }
}

/** Writes a held run's row on: its revision rises and its lease is renewed unless the changes end it. Returns the row. */
export function saveRun(
  { tx, now }: Pick<RunWork, 'tx' | 'now'>,
  run: AutomationRunRow,
  changes: Partial<AutomationRunRow>,
): AutomationRunRow {
  const until = now + limits.automation_lease_ms
  const all = { lease_until: until, due_at: until, ...changes, updated: now, revision: run.revision + 1 }
  tx.write(updateQuery('automation_runs', Object.keys(all)), { ...all, realm: run.realm, id: run.id })
  return { ...run, ...all }
}

/** What gives a run out of this process's hands, to be looked at again at `due_at`. */
export function letGo(due_at: number): Partial<AutomationRunRow> {
  return { due_at, lease_owner: null, lease_until: null }
}
