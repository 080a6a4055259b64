/**
 * The audit log: one entry per change, written in the change's transaction. A hash chain over the organization's entries
 * reveals a changed, missing or reordered one (contract/09#audit-chain).
 */
import { hash } from 'node:crypto'
import type { AuditRow } from '../../db/schema.ts'
import type { Heads, Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Mode } from '../declare/caller.ts'
import type { EventActor } from './outbox.ts'

/** The entry as stored and hashed; sequence and hashes are columns of their own. */
export interface AuditEntry {
  readonly mode: Mode
  readonly action: string
  readonly actor: EventActor
  readonly credential: string | null
  readonly target: { readonly object: string; readonly id: string }
  readonly room: string | null
  readonly workspace: string | null
  readonly request: string | null
  readonly changed_fields: readonly string[]
  readonly reason: string | null
  readonly source: { readonly ip: string | null; readonly user_agent: string | null }
}

/** The hash of an entry: over the previous hash, sequence, id, realm, time and text. */
export function auditHash(
  row: Pick<AuditRow, 'previous_hash' | 'sequence' | 'id' | 'realm' | 'created' | 'entry'>,
): string {
  const text = [row.previous_hash, row.sequence, row.id, row.realm, row.created, row.entry].join('\n')
  return hash('sha256', text, 'hex')
}

/** Appends an entry to the organization's chain. */
export function appendAudit(
  tx: Tx,
  heads: Heads,
  at: { readonly organization: string; readonly realm: number; readonly now: number },
  entry: AuditEntry,
): void {
  const { organization, realm, now } = at
  const sequence = heads.audit.sequence + 1
  // A noted target may carry more fields than an entry shows.
  const { object, id } = entry.target
  const unsigned = {
    organization,
    sequence,
    id: newId('aud', now),
    realm,
    created: now,
    action: entry.action,
    actor: entry.actor.id,
    target: id,
    room: entry.room,
    entry: JSON.stringify({ ...entry, target: { object, id } }),
    previous_hash: heads.audit.hash,
  }
  const row = { ...unsigned, hash: auditHash(unsigned) }
  tx.insert('audit_entries', row)
  heads.audit = { sequence, previous_hash: row.previous_hash, hash: row.hash }
  heads.changed = true
}

/** The public shape of an entry (contract/09#audit-entries). */
export function showAudit(row: AuditRow): object {
  return {
    id: row.id,
    object: 'audit_entry',
    created: Math.floor(row.created / 1000),
    sequence: row.sequence,
    ...(JSON.parse(row.entry) as AuditEntry),
    previous_hash: row.previous_hash,
    hash: row.hash,
  }
}

/** The workspace of an event's object; a workspace belongs to itself. */
export function workspaceOf(shown: Readonly<Record<string, unknown>> | undefined): string | null {
  if (shown?.object === 'workspace') return String(shown.id)
  return (shown?.workspace as string | null | undefined) ?? null
}
