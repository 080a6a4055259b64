/** The addresses of flows for mail, and the mails that started runs (contract/16#received-mail). The secret is in the local part. */
import type { FlowMail } from '../../../automations/mails.ts'
import { query } from '../../../db/query.ts'
import type { AutomationMailRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { randomBase32 } from '../../../lib/base32.ts'
import { parseStored } from '../../../lib/strict-json.ts'
import { FlowAddresses } from './addresses.ts'

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

export const mailAddresses = new FlowAddresses({
  table: 'automation_mailboxes',
  prefix: 'mbox',
  newSecret: () => randomBase32(secret_chars),
})

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
    .selectFrom('automation_mails as received')
    .innerJoin('automation_runs as run', (join) =>
      join.onRef('run.realm', '=', 'received.realm').onRef('run.id', '=', 'received.run'),
    )
    .selectAll('received')
    .where('received.realm', '=', p('realm'))
    .where('received.flow', '=', p('flow'))
    .where('received.created', '>=', p('since'))
    .where('run.rerun_of', 'is', null)
    .orderBy('received.run', 'desc')
    .limit(p('count')),
)

/** The latest mails that started runs of a flow, newest first, without those of reruns. */
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
  return parseStored(mail)
}
