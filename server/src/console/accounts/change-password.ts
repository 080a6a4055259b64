import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, PasswordText } from '../fields.ts'
import { endSession, forgetSessions, renewCookie } from '../sessions/begin.ts'
import { listOfAccount } from '../sessions/queries.ts'
import { showSignedIn } from '../sessions/show.ts'
import { hashPassword, requireGoodPassword } from './password.ts'
import { requireAccount } from './prove.ts'
import { setPassword } from './queries.ts'

/** Changes one's own password; all other sessions of the account end, and this one gets another cookie. */
export const changePassword = endpoint('POST password', {
  needs: 'step_up',
  body: body({ current: PasswordText, next: PasswordText }),
  async handle(context) {
    const { services, session, body: sent } = context
    requireGoodPassword(sent.next, session.email, 'next')
    const { also } = await requireAccount(context, session.email, sent.current, 'current')
    const password_hash = await hashPassword(services.sealer, sent.next)
    const about = { action: 'accounts.update', everywhere: true } as const
    const { cookie, ended } = await commitBy(context, about, async ({ tx, now, note }) => {
      also(tx)
      tx.write(setPassword, { id: session.account, password_hash, now })
      const others = (await tx.all(listOfAccount, { account: session.account })).filter(({ id }) => id !== session.id)
      for (const { id } of others) endSession(tx, id, now)
      note({ target: { object: 'user', id: session.user } })
      return { cookie: await renewCookie(tx, services.sealer, session, now), ended: others.map(({ id }) => id) }
    })
    forgetSessions(services, ended)
    if (cookie !== null) context.setCookie(cookie)
    return await showSignedIn(context, session)
  },
})
