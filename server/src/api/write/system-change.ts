/**
 * A change outside an API request: by an operator's command, a worker or the console. As with a request, the change, its
 * events and its audit entry are one transaction (contract/09#audit-entries).
 */
import type { Tx } from '../../db/store.ts'
import type { EventType } from '../declare/event.ts'
import type { AuditNote } from '../declare/operation.ts'
import type { Services } from '../services.ts'
import type { AuditEntry } from './audit.ts'
import { type EventActor, Outbox, previousOf } from './outbox.ts'
import { listedFields, no_source, type RealmMode, recordChange } from './record.ts'

/** The person who makes the change, and from where. */
export interface Author {
  readonly actor: EventActor
  readonly source: AuditEntry['source']
}

export interface SystemChange extends Partial<Author> {
  readonly organization: string
  /** The realms whose logs record it: both for objects that both share, such as members. */
  readonly realms: readonly RealmMode[]
  /** The audit entry's `action`, such as `members.create`. */
  readonly action: string
  readonly causes?: readonly string[]
  /** The change also writes rows of no organization, such as accounts. */
  readonly everywhere?: true
}

interface SystemContext {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
  note(note: AuditNote): void
}

export const system_actor: EventActor = { type: 'system', id: 'system' }

/** Runs `handle` in one transaction and records its events. A change without events is audited if it notes a target. */
export async function commitSystemChange<T>(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  change: SystemChange,
  handle: (context: SystemContext) => Promise<T>,
): Promise<T> {
  const now = services.clock.now()
  const realms = change.realms.map((each) => each.realm)
  const scope = change.everywhere ? 'system' : { organization: change.organization, realms }
  const result = await services.store.write(scope, async (tx) => {
    // The system scope does not take the organization's lock by itself.
    if (change.everywhere) await tx.heads(change.organization)
    return await recordSystemChange(tx, change, now, handle)
  })
  for (const realm of realms) services.committed(realm)
  return result
}

/** The same within an open transaction. After its commit, call `services.committed` for the realms. */
export async function recordSystemChange<T>(
  tx: Tx,
  change: SystemChange,
  now: number,
  handle: (context: SystemContext) => Promise<T>,
): Promise<T> {
  const outbox = new Outbox()
  let note: AuditNote = {}
  const value = await handle({
    tx,
    now,
    emit: (event, after, before) => outbox.emit(event, after, before),
    note: (more) => {
      note = { ...note, ...more }
    },
  })
  if (outbox.size > 0 || note.target !== undefined) await record(tx, change, outbox, note, now)
  return value
}

async function record(tx: Tx, change: SystemChange, outbox: Outbox, note: AuditNote, now: number): Promise<void> {
  const { organization, realms, action, actor = system_actor, source = no_source, causes = null } = change
  const cause = { organization, realms, actor, source, causes, credential: null, request: null, idempotencyKey: null }
  const main = outbox.first()
  const changed_fields = main === undefined ? [] : listedFields(previousOf(main))
  await recordChange(tx, cause, outbox, [{ action, note, changed_fields }], now)
}
