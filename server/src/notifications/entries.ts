/** Writes entries. An entry's id follows from the person and its cause, so a repeated write has the same result. */
import { createHash } from 'node:crypto'
import { applyChange } from '../api/write/change.ts'
import { type Placeholder, query } from '../db/query.ts'
import type { NotificationRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { smallestId } from '../lib/ids.ts'
import type { KindName } from './kinds.ts'

/** An entry before it has a person. */
export interface Told {
  readonly kind: KindName
  readonly workspace: string | null
  readonly subject_type: string
  readonly subject: string
  readonly comment: string | null
  readonly details: object
}

/** Where an entry comes from. */
export interface Source {
  readonly realm: number
  /** What the entry reports, such as an event's id: a person hears of it once. */
  readonly cause: string
  /** When it happened, in milliseconds. */
  readonly at: number
  readonly event: string | null
  readonly sequence: number
  readonly actor: { readonly type: string; readonly id: string } | null
  readonly generation: number
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Characters of an id for the sequence, and for the person. */
const [sequence_chars, person_chars] = [7, 9]

/** The id of the entry that tells a person of a cause. Entries sort by the time of the cause, then by the log. */
export function entryId(user: string, { cause, at, sequence }: Pick<Source, 'cause' | 'at' | 'sequence'>): string {
  const digest = createHash('sha256').update(`${user} ${cause}`).digest()
  let order = ''
  for (let i = 0, left = sequence; i < sequence_chars; i++, left = Math.floor(left / 32)) {
    order = crockford.charAt(left % 32) + order
  }
  let person = ''
  for (let i = 0; i < person_chars; i++) person += crockford.charAt((digest[i] as number) & 31)
  return smallestId('ntf', at).slice(0, -sequence_chars - person_chars) + order + person
}

/** Another walk over the log writes the entry again; the person's own marks stay. */
const write = query((db, p: Placeholder<{ [K in keyof NotificationRow]: NotificationRow[K] }>) =>
  db
    .insertInto('notifications')
    .values({
      realm: p('realm'),
      id: p('id'),
      created: p('created'),
      updated: p('updated'),
      revision: p('revision'),
      deleted_at: p('deleted_at'),
      user: p('user'),
      workspace: p('workspace'),
      kind: p('kind'),
      subject_type: p('subject_type'),
      subject: p('subject'),
      comment: p('comment'),
      event: p('event'),
      sequence: p('sequence'),
      actor_type: p('actor_type'),
      actor_id: p('actor_id'),
      details: p('details'),
      read_at: p('read_at'),
      snoozed_until: p('snoozed_until'),
      generation: p('generation'),
    })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'id']).doUpdateSet((eb) => ({
        workspace: eb.ref('excluded.workspace'),
        kind: eb.ref('excluded.kind'),
        subject_type: eb.ref('excluded.subject_type'),
        subject: eb.ref('excluded.subject'),
        comment: eb.ref('excluded.comment'),
        details: eb.ref('excluded.details'),
        deleted_at: eb.ref('excluded.deleted_at'),
        generation: eb.ref('excluded.generation'),
      })),
    ),
)

/** Writes the entry of one person. */
export function writeEntry(tx: Tx, user: string, told: Told, source: Source): void {
  tx.write(write, {
    realm: source.realm,
    id: entryId(user, source),
    created: source.at,
    updated: source.at,
    revision: 1,
    deleted_at: null,
    user,
    workspace: told.workspace,
    kind: told.kind,
    subject_type: told.subject_type,
    subject: told.subject,
    comment: told.comment,
    event: source.event,
    sequence: source.sequence,
    actor_type: source.actor?.type ?? null,
    actor_id: source.actor?.id ?? null,
    details: JSON.stringify(told.details),
    read_at: null,
    snoozed_until: null,
    generation: source.generation,
  })
}

const forgetSubject = query((db, p: Placeholder<{ realm: number; subject: string; now: number; sequence: number }>) =>
  db
    .updateTable('notifications')
    .set({ deleted_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('subject', '=', p('subject'))
    .where('sequence', '<=', p('sequence'))
    .where('deleted_at', 'is', null),
)

const forgetComment = query((db, p: Placeholder<{ realm: number; task: string; comment: string; now: number }>) =>
  db
    .updateTable('notifications')
    .set({ deleted_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('subject', '=', p('task'))
    .where('comment', '=', p('comment'))
    .where('deleted_at', 'is', null),
)

const entriesOfKind = query<NotificationRow, { realm: number; subject: string; kind: KindName }>((db, p) =>
  db
    .selectFrom('notifications')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('subject', '=', p('subject'))
    .where('kind', '=', p('kind'))
    .where('deleted_at', 'is', null),
)

/**
 * Marks the unread entries about an approval that has ended read: nothing is left to decide. `at` is when it ended; an entry that the
 * person has marked since stays, so that another walk over the log changes nothing.
 */
export async function readEntriesOfApproval(
  tx: Tx,
  realm: number,
  { id: approval, automation_run: run }: { readonly id: string; readonly automation_run: string },
  at: number,
): Promise<void> {
  for (const entry of await tx.all(entriesOfKind, { realm, subject: run, kind: 'approval' }))
    if ((JSON.parse(entry.details) as { approval?: string }).approval === approval) markRead(tx, entry, at)
}

/** The same for entries about a flow whose authority has ended, after it was renewed: nothing is left to do. */
export async function readEntriesOfAuthority(tx: Tx, realm: number, flow: string, at: number): Promise<void> {
  for (const entry of await tx.all(entriesOfKind, { realm, subject: flow, kind: 'automation_authority' }))
    markRead(tx, entry, at)
}

function markRead(tx: Tx, entry: NotificationRow, at: number): void {
  if (entry.read_at === null && entry.updated <= at) applyChange(tx, 'notifications', entry, { read_at: at }, at)
}

/** Removes the entries about a deleted object. */
export function removeEntries(tx: Tx, realm: number, subject: string, sequence: number, now: number): void {
  tx.write(forgetSubject, { realm, subject, now, sequence })
}

/** Removes the entries about a deleted comment. */
export function removeEntriesOfComment(tx: Tx, realm: number, task: string, comment: string, now: number): void {
  tx.write(forgetComment, { realm, task, comment, now })
}
