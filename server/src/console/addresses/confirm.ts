import { refuse } from '../../api/declare/errors.ts'
import { setEmailProved } from '../accounts/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import { requireLink } from '../links/link.ts'
import { markLinkUsed } from '../links/queries.ts'
import { showSignedIn } from '../sessions/show.ts'

/**
 * Proves the account's address by the link from a mail. It needs a session of the same account: the mail shows who reads the
 * mailbox, the session whose account it is. A link of another account gives the same error as an unknown one.
 */
export const confirmAddress = endpoint('POST address/confirm', {
  needs: 'session',
  body: body({ token: LinkToken }),
  async handle(context) {
    const { services, session, body: sent, now } = context
    const link = await requireLink(services, sent.token, now, (kind) => kind === 'address')
    if (link.account !== session.account) throw refuse('link_invalid')
    await commitAsUser(context, { action: 'accounts.update', everywhere: true }, async ({ tx, now: at, note }) => {
      if ((await tx.run(markLinkUsed, { id: link.id, now: at })) === 0) throw refuse('link_invalid')
      tx.write(setEmailProved, { id: session.account, now: at })
      note({ target: { object: 'user', id: session.user } })
    })
    return await showSignedIn(context, { ...session, emailProved: true })
  },
})
