/**
 * Which mails an entry leads to. The plan is made in the transaction that writes the entry, and a mail's id follows from the
 * entry or the day, so that nothing is sent twice however often the log is read. What is sent is decided when it is sent.
 */
import { createHash } from 'node:crypto'
import { type Placeholder, query } from '../db/query.ts'
import type { MailRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { smallestId } from '../lib/ids.ts'
import { dateIn, instantOf, minuteIn } from '../lib/time-zones.ts'
import type { KindName } from './kinds.ts'
import { inbox_limits } from './limits.ts'
import { mailWayOf, type Preferences } from './preferences.ts'

const plan = query((db, p: Placeholder<{ [K in keyof MailRow]: MailRow[K] }>) =>
  db
    .insertInto('mails')
    .values({
      realm: p('realm'),
      id: p('id'),
      organization: p('organization'),
      user: p('user'),
      kind: p('kind'),
      content: p('content'),
      status: p('status'),
      due_at: p('due_at'),
      attempts: p('attempts'),
      uncertain: p('uncertain'),
      lease_owner: p('lease_owner'),
      lease_until: p('lease_until'),
      error: p('error'),
      created: p('created'),
      updated: p('updated'),
      sealed: p('sealed'),
    })
    .onConflict((conflict) => conflict.columns(['realm', 'id']).doNothing()),
)

/** What every new mail has in common. */
export function newMail(
  row: Pick<MailRow, 'realm' | 'id' | 'organization' | 'user' | 'kind' | 'content' | 'due_at'>,
  now: number,
): MailRow {
  const unsent = { status: 'due', attempts: 0, uncertain: 0, lease_owner: null, lease_until: null, error: null }
  return { ...row, ...unsent, created: now, updated: now, sealed: row.kind === 'link' ? 1 : 0 }
}

/** Stores a mail unless it is known. */
export function planMail(tx: Tx, row: MailRow): void {
  tx.write(plan, { ...row })
}

/** Plans the mail of an entry, as the person has chosen. */
export async function planMailOf(
  tx: Tx,
  { preferences, ...to }: MailedTo,
  entry: MailedEntry,
  now: number,
): Promise<void> {
  const way = mailWayOf(preferences, entry.kind)
  if (way === 'never') return
  if (way === 'at_once') {
    const content = JSON.stringify({ notification: entry.id })
    const id = entry.id.replace(/^ntf_/, 'mal_')
    planMail(tx, newMail({ ...to, id, kind: 'notice', content, due_at: afterQuiet(preferences, now) }, now))
    return
  }
  const digest_at = nextDigest(preferences, now)
  const id = digestId(to.user, digest_at)
  const from = digestBefore(preferences, digest_at)
  // The last digest did not report an event whose entry is written after it.
  if (entry.at <= from) await reportSince(tx, to.realm, id, { from: entry.at - 1, to: digest_at })
  const content = JSON.stringify({ from: Math.min(from, entry.at - 1), to: digest_at })
  planMail(tx, newMail({ ...to, id, kind: 'digest', content, due_at: afterQuiet(preferences, digest_at) }, now))
}

/** The time that a digest reports: later than `from`, until `to`, in milliseconds. */
interface Reported {
  readonly from: number
  readonly to: number
}

const plannedContent = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('mails')
    .select('content')
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'due'),
)

const replaceContent = query((db, p: Placeholder<{ realm: number; id: string; content: string }>) =>
  db
    .updateTable('mails')
    .set({ content: p('content') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** Lets a digest that is planned report an earlier time, too. */
async function reportSince(tx: Tx, realm: number, id: string, reported: Reported): Promise<void> {
  const planned = await tx.first(plannedContent, { realm, id })
  if (planned === undefined || (JSON.parse(planned.content) as Reported).from <= reported.from) return
  tx.write(replaceContent, { realm, id, content: JSON.stringify(reported) })
}

interface MailedTo {
  readonly realm: number
  readonly organization: string
  readonly user: string
  readonly preferences: Preferences
}

interface MailedEntry {
  readonly id: string
  readonly kind: KindName
  /** When it happened, in milliseconds. */
  readonly at: number
}

/** When the person's next digest is due, in milliseconds. */
function nextDigest({ time_zone }: Pick<Preferences, 'time_zone'>, now: number): number {
  const zone = time_zone ?? 'UTC'
  const today = dateIn(zone, now)
  const at = instantOf(zone, today, inbox_limits.inbox_digest_hour * 60)
  return at > now ? at : instantOf(zone, today.add({ days: 1 }), inbox_limits.inbox_digest_hour * 60)
}

/** When the digest before was due: a digest reports what has happened since. */
function digestBefore({ time_zone }: Pick<Preferences, 'time_zone'>, at: number): number {
  const zone = time_zone ?? 'UTC'
  return instantOf(zone, dateIn(zone, at).subtract({ days: 1 }), inbox_limits.inbox_digest_hour * 60)
}

/** The time itself, or the end of the quiet hours that it falls into. */
export function afterQuiet({ time_zone, quiet_from, quiet_to }: Preferences, at: number): number {
  if (quiet_from === null || quiet_to === null) return at
  const zone = time_zone ?? 'UTC'
  const minute = minuteIn(zone, at)
  const isQuiet =
    quiet_from < quiet_to ? minute >= quiet_from && minute < quiet_to : minute >= quiet_from || minute < quiet_to
  if (!isQuiet) return at
  const day = dateIn(zone, at)
  const end = instantOf(zone, day, quiet_to)
  return end > at ? end : instantOf(zone, day.add({ days: 1 }), quiet_to)
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** One digest of a person for each time at which one is due. */
function digestId(user: string, at: number): string {
  const digest = createHash('sha256').update(user).digest()
  let tail = ''
  for (let i = 0; i < 16; i++) tail += crockford.charAt((digest[i] as number) & 31)
  return smallestId('mal', at).slice(0, -16) + tail
}
