/**
 * A change that no request asked for: a command of the operator's, a worker's, the console's. It goes the same way as
 * a request's: one transaction with its events and its audit entry (decisions §9, §10).
 */
import type { Tx } from '../db/store.ts'
import { type AuditEntry, appendAudit, workspaceOf } from './audit.ts'
import type { Mode } from './caller.ts'
import type { EventType } from './event.ts'
import type { AuditNote } from './operation.ts'
import { type EventActor, Outbox, previousOf } from './outbox.ts'
import type { Services } from './services.ts'

export interface RealmOf {
  readonly realm: number
  readonly mode: Mode
}

/** Who it was and from where, when it was a person. */
export interface Author {
  readonly actor: EventActor
  readonly source: AuditEntry['source']
}

export interface SystemChange extends Partial<Author> {
  readonly organization: string
  /** The realms whose logs tell of it: both, for what both share. */
  readonly realms: readonly RealmOf[]
  /** As in the audit log: `members.create`, `boards.restore`. */
  readonly action: string
  readonly causes?: readonly string[]
  /** It also writes what belongs to no organization, as people's accounts do. */
  readonly everywhere?: true
}

interface SystemContext {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
  note(note: AuditNote): void
}

export const system_actor: EventActor = { type: 'system', id: 'system' }

/** Runs `handle` in one transaction and records what it emitted; what has no events is audited when it notes its target. */
export async function commitSystemChange<T>(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  change: SystemChange,
  handle: (context: SystemContext) => Promise<T>,
): Promise<T> {
  const now = services.clock.now()
  const realms = change.realms.map((each) => each.realm)
  const scope = change.everywhere ? 'system' : { organization: change.organization, realms }
  const result = await services.store.write(scope, async (tx) => {
    // What runs as the system has not taken the organization's lock.
    if (change.everywhere) await tx.heads(change.organization)
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
  })
  for (const realm of realms) services.committed(realm)
  return result
}

async function record(tx: Tx, change: SystemChange, outbox: Outbox, note: AuditNote, now: number): Promise<void> {
  const heads = await tx.heads(change.organization)
  const actor = change.actor ?? system_actor
  const cause = { credential: null, request: null, idempotencyKey: null, causes: change.causes ?? null }
  await outbox.write(
    tx,
    heads,
    change.realms.map((each) => each.realm),
    { organization: change.organization, actor, ...cause },
    now,
  )
  const main = outbox.first()
  const after = main?.after as Record<string, unknown> | undefined
  for (const { realm, mode } of change.realms) {
    appendAudit(
      tx,
      heads,
      { organization: change.organization, realm, now },
      {
        mode,
        action: change.action,
        actor,
        credential: null,
        target: note.target ?? { object: String(after?.object), id: String(after?.id) },
        room: note.room ?? null,
        workspace: note.target?.workspace ?? workspaceOf(after),
        request: null,
        changed_fields: main === undefined ? [] : Object.keys(previousOf(main) ?? {}).filter(isOwn),
        reason: note.reason ?? null,
        source: change.source ?? { ip: null, user_agent: null },
      },
    )
  }
}

/** What every change changes besides is not told of. */
function isOwn(name: string): boolean {
  return name !== 'updated' && name !== 'revision'
}
