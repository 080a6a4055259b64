/** Queues the mail with a link that proves an account's address, in a transaction. Earlier links of the account end. */
import type { Services } from '../../api/services.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { hour_ms } from '../../lib/units.ts'
import { addressLetter } from '../../notifications/mail-texts.ts'
import { type Addressee, queueLinkMail } from '../../resources/notifications/shared/link-mail.ts'
import { console_limits } from '../limits.ts'
import { deleteLinksOfAccount } from '../links/queries.ts'
import { newSecret } from '../sessions/cookie.ts'

export interface AddressOwner extends Addressee {
  readonly account: string
  readonly role: string
}

/** Returns the id of the link. */
export function mailAddressLink(
  services: Pick<Services, 'sealer' | 'settings'>,
  tx: Tx,
  owner: AddressOwner,
  now: number,
): string {
  const { account, organization, user, email, role } = owner
  const token = newSecret()
  const id = newId('lnk', now)
  tx.write(deleteLinksOfAccount, { account, kind: 'address' })
  tx.insert('account_links', {
    ...{ id, organization, kind: 'address', digest: services.sealer.digest(token), user, email, role, account },
    ...{ created: now, created_by: user, expires_at: now + console_limits.address_link_ms, used_at: null },
    mailed_digest: null,
  })
  const url = `${services.settings.publicUrl}/confirm-address#${token}`
  const text = addressLetter(url, Math.round(console_limits.address_link_ms / hour_ms))
  queueLinkMail(services, tx, owner, text, now)
  return id
}
