import { refuse } from '../../api/declare/errors.ts'
import { countMailedLink } from '../accounts/throttle.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { addressOf } from '../origins.ts'
import { realmOfSession } from '../sessions/session.ts'
import { mailAddressLink } from './address-link.ts'

/** Mails a link to the account's address; opened with a session of the account, it proves that the address is the person's. */
export const mailAddress = endpoint('POST address', {
  needs: 'session',
  guests: true,
  async handle(context) {
    const { services, session, request, now } = context
    requireMailer(services)
    if (session.emailProved) throw refuse('resource_conflict', { message: 'The address is already confirmed.' })
    const { organization, user, email, account, role } = session
    const subjects = { email, source: addressOf(request, services.settings) }
    await services.store.write('system', (tx) => countMailedLink(tx, services.sealer, subjects, now))
    const { realm } = realmOfSession(session, 'live')
    await commitAsUser(context, { action: 'links.create', everywhere: true }, async ({ tx, now: at, note }) => {
      const id = mailAddressLink(services, tx, { realm, organization, user, email, account, role }, at)
      note({ target: { object: 'link', id } })
    })
    return { mailed_to: email }
  },
})

/** Refuses where the operator has named no SMTP server. */
export function requireMailer({ mailer }: { readonly mailer: unknown }): void {
  if (mailer !== null) return
  throw refuse('resource_not_found', {
    message: 'This server sends no mail. Its operator can create a link (atrium link create).',
  })
}
