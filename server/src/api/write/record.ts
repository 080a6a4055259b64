/**
 * Records a change in its transaction: its events in the log of each realm, and its audit entries. Requests, commands,
 * workers and the steps of automations all record here. Order: 1. lock the organization's heads; 2. append the events;
 * 3. append the audit entries (contract/09#audit-entries).
 */
import type { Tx } from '../../db/store.ts'
import type { Mode } from '../declare/caller.ts'
import type { AuditNote } from '../declare/operation.ts'
import { type AuditEntry, appendAudit, workspaceOf } from './audit.ts'
import type { Cause, Outbox } from './outbox.ts'

export interface RealmMode {
  readonly realm: number
  readonly mode: Mode
}

/** What the events and audit entries of a transaction have in common. */
export interface ChangeCause extends Cause {
  /** The realms whose logs record the change. */
  readonly realms: readonly RealmMode[]
  readonly source: AuditEntry['source']
}

/** An audit entry. Without a noted target it is about the object of the first event. */
export interface AuditedAction extends Pick<AuditEntry, 'action' | 'changed_fields'> {
  readonly note: AuditNote
}

/** Without a client there is no address. */
export const no_source: AuditEntry['source'] = { ip: null, user_agent: null }

/** Appends the events and, for each realm, the audit entries. Returns the ids of the first realm's events. */
export async function recordChange(
  tx: Tx,
  cause: ChangeCause,
  outbox: Outbox,
  actions: readonly AuditedAction[],
  now: number,
): Promise<string[]> {
  const { organization, realms, actor, credential, request, source } = cause
  const heads = await tx.heads(organization)
  const numbers = realms.map(({ realm }) => realm)
  const events = outbox.write(tx, heads, numbers, cause, now)
  const after = outbox.first()?.after as Record<string, unknown> | undefined
  for (const { realm, mode } of realms) {
    for (const { action, note, changed_fields } of actions) {
      const entry = {
        mode,
        action,
        actor,
        credential,
        target: note.target ?? { object: String(after?.object), id: String(after?.id) },
        room: note.room ?? null,
        workspace: note.target?.workspace ?? workspaceOf(after),
        request,
        changed_fields,
        reason: note.reason ?? null,
        source,
      }
      appendAudit(tx, heads, { organization, realm, now }, entry)
    }
  }
  return events
}

/** The changed fields that an entry lists: all but `updated` and `revision`, which every change sets. */
export function listedFields(previous: object | null): string[] {
  return Object.keys(previous ?? {}).filter((name) => name !== 'updated' && name !== 'revision')
}
