/** The addresses of flows for mail, and the mails that started runs (contract/16#received-mail). The secret is in the local part. */
import type { FlowMail } from '../../../automations/mails.ts'
import { query } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import { randomBase32 } from '../../../lib/base32.ts'
import { FlowAddresses } from './addresses.ts'
import { Arrivals } from './arrivals.ts'

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

/** The mails. Their key is the digest of their Message-ID. */
export const flowMails = new Arrivals<FlowMail>({ table: 'automation_mails', key: 'mail_key', content: 'mail' })
