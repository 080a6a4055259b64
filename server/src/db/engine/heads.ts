/** Reads and writes the ends of an organization's logs, which the transaction that reads them keeps locked. */
import { sql } from 'kysely'
import { type Placeholder, query, rawQuery } from '../query.ts'
import type { Heads } from '../store.ts'

/** PostgreSQL takes the row lock here: from this statement to the commit, writes of one organization are serial. */
export const readAuditHead = query((db, p: Placeholder<{ organization: string }>, dialect) => {
  const head = db
    .selectFrom('audit_heads')
    .select(['sequence', 'previous_hash', 'hash'])
    .where('organization', '=', p('organization'))
  return dialect === 'postgres' ? head.forUpdate() : head
})

export const readEventHeads = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('event_heads', 'event_heads.realm', 'realms.realm')
    .select(['realms.realm', 'event_heads.sequence'])
    .where('realms.organization', '=', p('organization')),
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
    .updateTable('event_heads')
    .set({ sequence: p('sequence') })
    .where('realm', '=', p('realm')),
)

interface LockedHead {
  readonly organization: string
  readonly sequence: number
  readonly previous_hash: string
  readonly hash: string
}

function lockHeadsOf(whenTaken: 'wait' | 'skip') {
  const skip = sql.raw(whenTaken === 'skip' ? 'skip locked' : '')
  return rawQuery(
    (p: Placeholder<{ organizations: string }>) => sql<LockedHead>`select organization, sequence, previous_hash, hash
    from audit_heads where organization = any(string_to_array(${p('organizations')}, ','))
    order by organization for update ${skip}`,
  )
}

/**
 * PostgreSQL only: takes the locks of several organizations, always in the order of their ids, so that transactions that
 * wait for each other's locks never form a cycle. `skip` leaves out those that another transaction holds.
 */
export const lockHeads = { wait: lockHeadsOf('wait'), skip: lockHeadsOf('skip') }

export const readEventHeadsOfMany = rawQuery(
  (p: Placeholder<{ organizations: string }>) =>
    sql<{
      organization: string
      realm: number
      sequence: number
    }>`select realms.organization, realms.realm, event_heads.sequence
    from realms join event_heads on event_heads.realm = realms.realm
    where realms.organization = any(string_to_array(${p('organizations')}, ','))`,
)

/**
 * PostgreSQL only: writes the changed ends of logs, and notifies the other processes on commit which event logs have
 * grown. Both lists are JSON.
 */
export const writeHeads = rawQuery(
  (p: Placeholder<{ organizations: string; audit: string; events: string; realms: string }>) => sql`
    with written_audit as (update audit_heads set sequence = one.sequence, previous_hash = one.previous_hash, hash = one.hash
      from json_to_recordset(${p('audit')}::json)
        as one(organization text, sequence bigint, previous_hash text, hash text)
      where audit_heads.organization = one.organization
        and audit_heads.organization = any(string_to_array(${p('organizations')}, ','))),
    written_events as (update event_heads set sequence = one.sequence
      from json_to_recordset(${p('events')}::json) as one(realm bigint, sequence bigint)
      where event_heads.realm = one.realm and event_heads.realm = any(string_to_array(nullif(${p('realms')}, ''), ',')::bigint[]))
    select pg_notify('atrium_events', list) from (select ${p('realms')} as list) as grown where list <> ''`,
)

/** On Citus: the same by home, the organization's live realm, which leads to one shard. */
export const onShard = {
  readAuditHead: query((db, p: Placeholder<{ home: number; organization: string }>) =>
    db
      .selectFrom('audit_heads')
      .select(['sequence', 'previous_hash', 'hash'])
      .where('home', '=', p('home'))
      .where('organization', '=', p('organization'))
      .forUpdate(),
  ),
  readEventHeads: query((db, p: Placeholder<{ live: number; test: number }>) =>
    db
      .selectFrom('event_heads')
      .select(['realm', 'sequence'])
      .where('realm', 'in', [p('live'), p('test')]),
  ),
  writeAuditHead: query(
    (
      db,
      p: Placeholder<{ sequence: number; previous_hash: string; hash: string; home: number; organization: string }>,
    ) =>
      db
        .updateTable('audit_heads')
        .set({ sequence: p('sequence'), previous_hash: p('previous_hash'), hash: p('hash') })
        .where('home', '=', p('home'))
        .where('organization', '=', p('organization')),
  ),
  notify: rawQuery((p: Placeholder<{ realms: string }>) => sql`select pg_notify('atrium_events', ${p('realms')})`),
}

/** The live realm of an organization. */
export const findHome = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select('realm').where('organization', '=', p('organization')).where('mode', '=', 'live'),
)

export function toHeads(
  audit: { sequence: number; previous_hash: string; hash: string } | undefined,
  events: readonly { realm: number; sequence: number }[],
): Heads {
  return {
    audit: audit ?? { sequence: 0, previous_hash: '', hash: '' },
    events: new Map(events.map((row) => [row.realm, row.sequence])),
    changed: false,
  }
}
