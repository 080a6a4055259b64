/**
 * The addresses of flows for mail, and the mails that started runs (contract/16#received-mail). The local part of an address is a secret: the
 * database finds it by its digest, and holds it sealed for those who manage the flow.
 */
import type { FlowMail } from '../../../automations/mails.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationMailboxRow, AutomationMailRow } from '../../../db/schema.ts'
import { automationMailboxContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { randomBase32 } from '../../../lib/base32.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/seal.ts'
import { parseJson } from '../../../lib/strict-json.ts'
import { type AddressedFlow, digestOf } from './hooks.ts'

/** 200 random bits. Mail servers may change the case of a local part, so the secret has one case. */
const secret_chars = 40
/** The prefix keeps these addresses apart from those of replies; both fit the 64 characters of a local part (RFC 5321). */
const local_part = /^flow-([0-9a-hjkmnp-tv-z]{40})$/

export function mailboxAddress(secret: string, domain: string): string {
  return `flow-${secret}@${domain}`
}

/** The secret of an address of this domain; null if no flow can have the address. */
export function secretOfAddress(address: string, domain: string): string | null {
  const at = address.lastIndexOf('@')
  if (address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return null
  return local_part.exec(address.slice(0, Math.max(0, at)).toLowerCase())?.[1] ?? null
}

const findByDigest = query<AutomationMailboxRow, { digest: string }>((db, p) =>
  db.selectFrom('automation_mailboxes').selectAll().where('digest', '=', p('digest')),
)

const findByFlow = query<AutomationMailboxRow, { realm: number; flow: string }>((db, p) =>
  db.selectFrom('automation_mailboxes').selectAll().where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

const replaceSecret = query(
  (db, p: Placeholder<{ secret: string; digest: string; now: number; realm: number; flow: string }>) =>
    db
      .updateTable('automation_mailboxes')
      .set({ secret: p('secret'), digest: p('digest'), updated: p('now') })
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow')),
)

/** The mailbox with this secret. Secrets are compared by their digests, so the time reveals nothing about them. */
export async function findMailbox(reader: Reader, secret: string): Promise<AutomationMailboxRow | undefined> {
  return await reader.first(findByDigest, { digest: digestOf(secret) })
}

export async function findMailboxOfFlow(
  reader: Reader,
  { realm, id }: { readonly realm: number; readonly id: string },
): Promise<AutomationMailboxRow | undefined> {
  return await reader.first(findByFlow, { realm, flow: id })
}

export function secretOfMailbox(sealer: Sealer, { realm, flow, secret }: AutomationMailboxRow): string {
  return sealer.open(secret, automationMailboxContext(realm, flow))
}

/** Gives a flow an address for mail, unless it has one. */
export async function openMailbox(tx: Tx, sealer: Sealer, flow: AddressedFlow, now: number): Promise<void> {
  if ((await findMailboxOfFlow(tx, flow)) !== undefined) return
  const { realm, id, organization, mode_of_data: mode } = flow
  tx.insert('automation_mailboxes', {
    ...{ realm, flow: id, id: newId('mbox', now), organization, mode, created: now, updated: now },
    ...newSecret(sealer, realm, id),
  })
}

/** Replaces the secret of an address; the former address stops working with the commit. */
export function replaceMailbox(
  tx: Tx,
  sealer: Sealer,
  mailbox: AutomationMailboxRow,
  now: number,
): AutomationMailboxRow {
  const { realm, flow } = mailbox
  const made = newSecret(sealer, realm, flow)
  tx.write(replaceSecret, { ...made, now, realm, flow })
  return { ...mailbox, ...made, updated: now }
}

function newSecret(sealer: Sealer, realm: number, flow: string): { secret: string; digest: string } {
  const secret = randomBase32(secret_chars)
  return { secret: sealer.seal(secret, automationMailboxContext(realm, flow)), digest: digestOf(secret) }
}

const findByKey = query<{ run: string }, { realm: number; flow: string; key: string }>((db, p) =>
  db
    .selectFrom('automation_mails')
    .select('run')
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('mail_key', '=', p('key')),
)

/** The id of the run that a mail with this key started, if it is still kept. */
export async function findRunOfMail(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  key: string,
): Promise<string | undefined> {
  return (await reader.first(findByKey, { realm: flow.realm, flow: flow.id, key }))?.run
}

const findByRun = query<AutomationMailRow, { realm: number; run: string }>((db, p) =>
  db.selectFrom('automation_mails').selectAll().where('realm', '=', p('realm')).where('run', '=', p('run')),
)

/** The mail that started a run; null for runs of other triggers. */
export async function mailOfRun(reader: Reader, realm: number, run: string): Promise<FlowMail | null> {
  const row = await reader.first(findByRun, { realm, run })
  return row === undefined ? null : readMail(row)
}

const latestOfFlow = query<AutomationMailRow, { realm: number; flow: string; since: number; count: number }>((db, p) =>
  db
    .selectFrom('automation_mails')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('created', '>=', p('since'))
    .orderBy('run', 'desc')
    .limit(p('count')),
)

/** The latest mails that started runs of a flow, newest first. */
export async function latestMails(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  since: number,
  count: number,
): Promise<{ readonly mail: FlowMail; readonly at: number }[]> {
  const rows = await reader.all(latestOfFlow, { realm: flow.realm, flow: flow.id, since, count })
  return rows.map((row) => ({ mail: readMail(row), at: row.created }))
}

function readMail({ mail }: AutomationMailRow): FlowMail {
  return parseJson(mail) as unknown as FlowMail
}
