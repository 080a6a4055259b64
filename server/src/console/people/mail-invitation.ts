/** Queues the mail with the link of an invitation, in the transaction that creates it. The stored link is sealed. */
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AccountLinkRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { day_ms } from '../../lib/units.ts'
import { newMail, planMail } from '../../notifications/mail-plan.ts'
import { invitationLetter } from '../../notifications/mail-texts.ts'
import { type Letter, sealedIn } from '../../resources/notifications/shared/render-mail.ts'
import { console_limits } from '../limits.ts'
import { urlOfLink } from '../links/link.ts'
import { type ActiveSession, realmOfSession } from '../sessions/session.ts'

const organizationName = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('organizations').select('name').where('organization', '=', p('organization')),
)

export async function mailInvitation(
  { sealer, settings }: Pick<Services, 'sealer' | 'settings'>,
  tx: Tx,
  session: ActiveSession,
  { row, token }: { readonly row: AccountLinkRow; readonly token: string },
  now: number,
): Promise<void> {
  const { organization } = session
  const { realm } = realmOfSession(session, 'live')
  const { name = organization } = (await tx.first(organizationName, { organization })) ?? {}
  const url = urlOfLink(settings.publicUrl, 'invitation', token)
  const days = Math.round(console_limits.invitation_ms / day_ms)
  const letter: Letter = {
    to: row.email,
    ...invitationLetter(name, session.email, url, days),
    thread: null,
    unsubscribe: null,
  }
  const mail = { realm, id: newId('mal', now), organization, user: row.user }
  const content = sealer.seal(JSON.stringify(letter), sealedIn(mail))
  planMail(tx, newMail({ ...mail, kind: 'link', content, due_at: now }, now))
}
