/**
 * Verifies the audit chain (contract/09#audit-chain): each entry has the hash of its content and of the entry before it, and
 * the last one is the one that the organization's head names. This reveals changed, missing, reordered and cut-off entries.
 * Reads in bounded batches while the server runs; entries appended meanwhile are not a fault.
 */

import { limits } from '../../api/limits.ts'
import { type AuditEntry, auditHash } from '../../api/write/audit.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { AuditRow } from '../../db/schema.ts'
import type { Reader, Store } from '../../db/store.ts'
import { requireRealms } from '../organizations/shared/queries.ts'

type AuditProblem = 'changed' | 'missing' | 'reordered' | 'unexpected'

/** The first wrong entry; the id of a missing one is unknown. */
interface AuditFault {
  readonly ok: false
  readonly organization: string
  readonly sequence: number
  readonly id: string | null
  readonly problem: AuditProblem
  readonly message: string
}

export type AuditVerdict = { readonly ok: true; readonly entries: number } | AuditFault

const findOrganizations = query((db) => db.selectFrom('organizations').select('organization').orderBy('organization'))

const findHead = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('audit_heads').selectAll().where('organization', '=', p('organization')),
)

const readBatch = query((db, p: Placeholder<{ organization: string; after: number }>) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('sequence', '>', p('after'))
    .orderBy('sequence')
    .limit(literal(limits.audit_batch_max)),
)

const findFollower = query((db, p: Placeholder<{ organization: string; previous_hash: string }>) =>
  db
    .selectFrom('audit_entries')
    .select('sequence')
    .where('organization', '=', p('organization'))
    .where('previous_hash', '=', p('previous_hash'))
    .limit(literal(1)),
)

/** Verifies the log of one organization, or all logs, up to the first wrong entry. */
export async function verifyAudit(store: Store, organization?: string): Promise<AuditVerdict> {
  if (organization !== undefined) {
    await requireRealms(store, organization)
    return await verifyChain(store.reader('system'), organization)
  }
  let entries = 0
  for (const each of await store.reader('system').all(findOrganizations)) {
    const verdict = await verifyChain(store.reader('system'), each.organization)
    if (!verdict.ok) return verdict
    entries += verdict.entries
  }
  return { ok: true, entries }
}

type Link = Pick<AuditRow, 'sequence' | 'previous_hash' | 'hash'>

async function verifyChain(reader: Reader, organization: string): Promise<AuditVerdict> {
  const head = await reader.first(findHead, { organization })
  if (head === undefined) return fault(organization, 1, null, 'missing', 'the head of the log is missing')
  let last: Link = { sequence: 0, previous_hash: '', hash: '' }
  for (;;) {
    const rows = await reader.all(readBatch, { organization, after: last.sequence })
    for (const row of rows) {
      const wrong = await faultOf(reader, row, last)
      if (wrong !== null) return wrong
      last = row
      if (row.sequence === head.sequence && row.hash !== head.hash) {
        return fault(organization, row.sequence, row.id, 'changed', 'its hash differs from the one in the head')
      }
    }
    if (rows.length < limits.audit_batch_max) break
  }
  if (last.sequence < head.sequence) {
    return fault(organization, last.sequence + 1, null, 'missing', `the log ends before entry ${head.sequence}`)
  }
  return await beyondHead(reader, organization, last)
}

/** Entries and head are committed together, so a head read after the entries cannot be older than them. */
async function beyondHead(reader: Reader, organization: string, last: Link): Promise<AuditVerdict> {
  const head = await reader.first(findHead, { organization })
  if (head !== undefined && head.sequence >= last.sequence) return { ok: true, entries: last.sequence }
  const [row] = await reader.all(readBatch, { organization, after: head?.sequence ?? 0 })
  const sequence = (head?.sequence ?? 0) + 1
  return fault(
    organization,
    sequence,
    row?.id ?? null,
    'unexpected',
    'it comes after the last entry that the head names',
  )
}

async function faultOf(reader: Reader, row: AuditRow, before: Link): Promise<AuditFault | null> {
  const { organization, sequence, id } = row
  const expected = before.sequence + 1
  if (sequence !== expected) {
    return fault(organization, expected, null, 'missing', `entry ${before.sequence} is followed by ${sequence}`)
  }
  if (row.previous_hash !== before.hash) {
    const elsewhere = await reader.first(findFollower, { organization, previous_hash: before.hash })
    return elsewhere === undefined
      ? fault(organization, sequence, id, 'changed', 'it does not follow the entry before it')
      : fault(organization, sequence, id, 'reordered', `entry ${elsewhere.sequence} belongs in its place`)
  }
  if (row.hash !== auditHash(row)) {
    return fault(organization, sequence, id, 'changed', 'its hash does not match its content')
  }
  return agrees(row) ? null : fault(organization, sequence, id, 'changed', 'its columns differ from its content')
}

/** The columns used by list filters repeat fields of the entry's text; only the text is hashed. */
function agrees(row: AuditRow): boolean {
  const entry = JSON.parse(row.entry) as AuditEntry
  return (
    row.action === entry.action &&
    row.actor === entry.actor.id &&
    row.target === entry.target.id &&
    row.room === entry.room
  )
}

function fault(
  organization: string,
  sequence: number,
  id: string | null,
  problem: AuditProblem,
  reason: string,
): AuditFault {
  return { ok: false, organization, sequence, id, problem, message: `Entry ${sequence} is ${problem}: ${reason}.` }
}
