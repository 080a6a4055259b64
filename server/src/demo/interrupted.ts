/**
 * A demo whose creation was interrupted. From its founding to the end of its story an organization has a row that names the
 * process at work. The next start takes over when that process has ended: it removes what there is of the story, unless
 * anything else was written since, and the story is created again. The organization, its first key and its owner stay.
 */

import type { Services } from '../api/services.ts'
import { system_actor } from '../api/write/system-change.ts'
import { type Placeholder, query } from '../db/query.ts'
import { clearRealm } from '../db/realms/clear.ts'
import type { AuditRow, UnfinishedDemoRow } from '../db/schema.ts'
import type { Store, Tx } from '../db/store.ts'
import type { Founded } from '../resources/organizations/found.ts'

/** Marks a demo as unfinished, in the transaction that founds its organization. `ends`: milliseconds. */
export async function beginDemo(tx: Tx, store: Store, { organization, realms }: Founded, ends: number): Promise<void> {
  const heads = await tx.heads(organization)
  tx.insert('unfinished_demos', {
    organization,
    process: store.processes.own(),
    ends,
    audit_sequence: heads.audit.sequence,
    event_sequence: heads.events.get(realms.live) ?? 0,
  })
}

/** The story has ended, or is given up. */
export async function endDemo(store: Store, organization: string): Promise<void> {
  await store.write('system', async (tx) => tx.write(removeMark, { organization }))
}

/** `cleared`: nothing of the story is left. Otherwise other changes followed, and everything was left as it is. */
export interface Interrupted {
  readonly founded: Founded
  readonly cleared: boolean
  /** The time at which the story ends when it is created again, in milliseconds. */
  readonly ends: number
}

/** Takes over a demo whose process has ended; null otherwise. Call it before anything else reads the logs. */
export async function takeOverDemo(services: Pick<Services, 'store' | 'clock'>): Promise<Interrupted | null> {
  const { store } = services
  const ends = services.clock.now()
  const marked = await store.reader('system').first(anyMark)
  if (marked === undefined) return null
  if ((await store.processes.ended([marked.process])).length === 0) return null
  const taken = await store.write('system', async (tx) => {
    const mark = await tx.first(anyMark)
    if (mark === undefined || mark.process !== marked.process) return null
    const founded = await foundedOf(tx, mark.organization)
    const cleared = await clearStory(tx, mark, founded)
    tx.write(moveMark, { organization: mark.organization, process: store.processes.own(), ends })
    return { founded, cleared, ends }
  })
  if (taken?.cleared) {
    const realms = Object.values(taken.founded.realms)
    await store.writeLog(realms.map((realm) => ({ query: clearRequests, values: { realm } })))
  }
  return taken
}

async function foundedOf(tx: Tx, organization: string): Promise<Founded> {
  const realms = await tx.all(realmsOf, { organization })
  const realm = (mode: string) => realms.find((each) => each.mode === mode)?.realm ?? 0
  const user = (await tx.first(firstMember, { organization }))?.user ?? ''
  return { organization, user, realms: { live: realm('live'), test: realm('test') } }
}

/** False if anything but the story was written: its changes are of the story's time, all others of a later one. */
async function clearStory(tx: Tx, mark: UnfinishedDemoRow, { organization, user, realms }: Founded): Promise<boolean> {
  const heads = await tx.heads(organization)
  const entries = await tx.all(entriesAfter, { organization, sequence: mark.audit_sequence })
  const first = entries.findIndex((entry) => !isLink(entry))
  const story = first < 0 ? [] : entries.slice(first)
  if (story.some((entry) => isLink(entry) || entry.created > mark.ends)) return false
  if (story[0] !== undefined) {
    const { sequence, previous_hash } = story[0]
    tx.write(clearAudit, { organization, sequence })
    const last = await tx.first(auditEntry, { organization, sequence: sequence - 1 })
    heads.audit = { sequence: sequence - 1, previous_hash: last?.previous_hash ?? '', hash: previous_hash }
  }
  for (const [realm, sequence] of [
    [realms.live, mark.event_sequence],
    [realms.test, 0],
  ] as const) {
    tx.write(clearEvents, { realm, sequence })
    heads.events.set(realm, sequence)
    for (const clear of clearRealm(tx.dialect, kept)) tx.write(clear, { realm })
  }
  heads.changed = true
  tx.write(clearWindows, { organization })
  tx.write(clearMembers, { organization, user })
  tx.write(renameOwner, { organization, user })
  return true
}

/** The owner's link is created at the present, before the story. */
const isLink = ({ action, entry }: Pick<AuditRow, 'action' | 'entry'>): boolean =>
  action === 'links.create' && JSON.parse(entry).actor.id === system_actor.id

/** Tables of realms that keep rows, or are cleared in part. */
const kept = new Set(['realms', 'event_heads', 'credentials', 'events', 'request_logs'])

type OfOrganization = { organization: string }

const anyMark = query((db) => db.selectFrom('unfinished_demos').selectAll().limit(1))

const removeMark = query((db, p: Placeholder<OfOrganization>) =>
  db.deleteFrom('unfinished_demos').where('organization', '=', p('organization')),
)

const moveMark = query((db, p: Placeholder<OfOrganization & { process: string; ends: number }>) =>
  db
    .updateTable('unfinished_demos')
    .set({ process: p('process'), ends: p('ends') })
    .where('organization', '=', p('organization')),
)

const realmsOf = query((db, p: Placeholder<OfOrganization>) =>
  db.selectFrom('realms').select(['realm', 'mode']).where('organization', '=', p('organization')),
)

const firstMember = query((db, p: Placeholder<OfOrganization>) =>
  db.selectFrom('members').select('user').where('organization', '=', p('organization')).orderBy('id').limit(1),
)

const entriesAfter = query((db, p: Placeholder<OfOrganization & { sequence: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(['sequence', 'created', 'action', 'entry', 'previous_hash'])
    .where('organization', '=', p('organization'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence'),
)

const auditEntry = query((db, p: Placeholder<OfOrganization & { sequence: number }>) =>
  db
    .selectFrom('audit_entries')
    .select('previous_hash')
    .where('organization', '=', p('organization'))
    .where('sequence', '=', p('sequence')),
)

const clearAudit = query((db, p: Placeholder<OfOrganization & { sequence: number }>) =>
  db.deleteFrom('audit_entries').where('organization', '=', p('organization')).where('sequence', '>=', p('sequence')),
)

const clearEvents = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db.deleteFrom('events').where('realm', '=', p('realm')).where('sequence', '>', p('sequence')),
)

const clearRequests = query((db, p: Placeholder<{ realm: number }>) =>
  db.deleteFrom('request_logs').where('realm', '=', p('realm')),
)

const clearWindows = query((db, p: Placeholder<OfOrganization>) =>
  db.deleteFrom('credit_windows').where('organization', '=', p('organization')),
)

const clearMembers = query((db, p: Placeholder<OfOrganization & { user: string }>) =>
  db.deleteFrom('members').where('organization', '=', p('organization')).where('user', '!=', p('user')),
)

const renameOwner = query((db, p: Placeholder<OfOrganization & { user: string }>) =>
  db
    .updateTable('members')
    .set((eb) => ({ first_name: null, last_name: null, updated: eb.ref('created') }))
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)
