/** Queues the mail with the link of an invitation, in the transaction that creates it. */
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AccountLinkRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { day_ms } from '../../lib/units.ts'
import { invitationLetter } from '../../notifications/mail-texts.ts'
import { queueLinkMail } from '../../resources/notifications/shared/link-mail.ts'
import { console_limits } from '../limits.ts'
import { urlOfLink } from '../links/link.ts'
import { type ActiveSession, realmOfSession } from '../sessions/session.ts'

const organizationName = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('organizations').select('name').where('organization', '=', p('organization')),
)

/** `token` is that of the mail: the inviter sees another one. */
export async function mailInvitation(
  services: Pick<Services, 'sealer' | 'settings'>,
  tx: Tx,
  session: ActiveSession,
  { row, token }: { readonly row: AccountLinkRow; readonly token: string },
  now: number,
): Promise<void> {
  const { organization } = session
  const { realm } = realmOfSession(session, 'live')
  const { name = organization } = (await tx.first(organizationName, { organization })) ?? {}
  const url = urlOfLink(services.settings.publicUrl, 'invitation', token)
  const days = Math.round(console_limits.invitation_ms / day_ms)
  const text = invitationLetter(name, session.email, url, days)
  queueLinkMail(services, tx, { realm, organization, user: row.user, email: row.email }, text, now)
}
