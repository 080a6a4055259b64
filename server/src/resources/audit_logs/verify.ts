/**
 * Verifies the audit chain (contract/09#audit-chain): every entry hashes to what it says, names the hash of the one before it, and
 * the last one is where the organization's head says the log ends. So a changed, missing, reordered or cut-off entry
 * shows. Reads in bounded batches, beside a running server: what is appended meanwhile is no fault.
 */

import { limits } from '../../api/limits.ts'
import { type AuditEntry, auditHash } from '../../api/write/audit.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { AuditRow } from '../../db/schema.ts'
import type { Reader, Store } from '../../db/store.ts'
import { requireRealms } from '../organizations/shared/queries.ts'

export type AuditProblem = 'changed' | 'missing' | 'reordered' | 'unexpected'

/** The first entry that is wrong; of a missing one the id is not known. */
export interface AuditFault {
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

/** Verifies one organization's log, or all of them; tells the first wrong entry. */
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
  if (head === undefined) return fault(organization, 1, null, 'missing', 'the head of the log is gone')
  let last: Link = { sequence: 0, previous_hash: '', hash: '' }
  for (;;) {
    const rows = await reader.all(readBatch, { organization, after: last.sequence })
    for (const row of rows) {
      const wrong = await faultOf(reader, row, last)
      if (wrong !== null) return wrong
      last = row
      if (row.sequence === head.sequence && row.hash !== head.hash) {
        return fault(organization, row.sequence, row.id, 'changed', 'its hash is not the one that the head keeps')
      }
    }
    if (rows.length < limits.audit_batch_max) break
  }
  if (last.sequence < head.sequence) {
    return fault(organization, last.sequence + 1, null, 'missing', `the log ends before entry ${head.sequence}`)
  }
  return await beyondHead(reader, organization, last)
}

/** Entries and head are committed together, so a head that is read after the entries is never behind them. */
async function beyondHead(reader: Reader, organization: string, last: Link): Promise<AuditVerdict> {
  const head = await reader.first(findHead, { organization })
  if (head !== undefined && head.sequence >= last.sequence) return { ok: true, entries: last.sequence }
  const [row] = await reader.all(readBatch, { organization, after: head?.sequence ?? 0 })
  const sequence = (head?.sequence ?? 0) + 1
  return fault(organization, sequence, row?.id ?? null, 'unexpected', 'it stands behind the end that the head keeps')
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
    return fault(organization, sequence, id, 'changed', 'its content does not have its hash')
  }
  return agrees(row) ? null : fault(organization, sequence, id, 'changed', 'its columns differ from its content')
}

/** The columns that lists filter by repeat the entry's text, which alone is hashed. */
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
