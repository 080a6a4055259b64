/** Reads and writes the ends of an organization's logs, which the transaction that reads them keeps locked. */
import { sql } from 'kysely'
import { type Placeholder, query, rawQuery } from './query.ts'
import type { Heads } from './store.ts'

/** PostgreSQL takes the row lock here: from this statement to the commit, writes of one organization are serial. */
export const readAuditHead = query((db, p: Placeholder<{ organization: string }>, dialect) => {
  const head = db
    .selectFrom('audit_heads')
    .select(['sequence', 'previous_hash', 'hash'])
    .where('organization', '=', p('organization'))
  return dialect === 'postgres' ? head.forUpdate() : head
})

export const readEventHeads = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select(['realm', 'event_sequence']).where('organization', '=', p('organization')),
)

export const writeAuditHead = query(
  (db, p: Placeholder<{ sequence: number; previous_hash: string; hash: string; organization: string }>) =>
    db
      .updateTable('audit_heads')
      .set({ sequence: p('sequence'), previous_hash: p('previous_hash'), hash: p('hash') })
      .where('organization', '=', p('organization')),
)

export const writeEventHead = query((db, p: Placeholder<{ sequence: number; realm: number }>) =>
  db
    .updateTable('realms')
    .set({ event_sequence: p('sequence') })
    .where('realm', '=', p('realm')),
)

/** PostgreSQL only: notifies the other processes which logs have grown, on commit. */
export const notifyEvents = rawQuery(
  (p: Placeholder<{ realms: string }>) => sql`select pg_notify('atrium_events', ${p('realms')})`,
)

export function toHeads(
  audit: { sequence: number; previous_hash: string; hash: string } | undefined,
  events: readonly { realm: number; event_sequence: number }[],
): Heads {
  return {
    audit: audit ?? { sequence: 0, previous_hash: '', hash: '' },
    events: new Map(events.map((row) => [row.realm, row.event_sequence])),
    previousValues: false,
  }
}
