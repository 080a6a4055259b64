/**
 * The audit log: one entry a change, in the change's transaction, chained by hash over the whole organization, so that
 * a changed, missing or reordered entry shows (decisions §9).
 */
import { hash } from 'node:crypto'
import type { AuditRow } from '../db/schema.ts'
import type { Heads, Tx } from '../db/store.ts'
import { newId } from '../lib/ids.ts'
import type { Mode } from './caller.ts'
import type { EventActor } from './outbox.ts'

/** The entry as it is stored and hashed; sequence and hashes stand beside it. */
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

/** The hash of an entry: of the one before it, its place, its identity and its text. */
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
  place: { readonly organization: string; readonly realm: number; readonly now: number },
  entry: AuditEntry,
): void {
  const { organization, realm, now } = place
  const sequence = heads.audit.sequence + 1
  // Whoever noted the target may know more of it than an entry shows.
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

/** The public shape of an entry (decisions §9). */
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

/** The workspace of what an event shows; a workspace is in itself. */
export function workspaceOf(shown: Readonly<Record<string, unknown>> | undefined): string | null {
  if (shown?.object === 'workspace') return String(shown.id)
  return (shown?.workspace as string | null | undefined) ?? null
}
