import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, PasswordText } from '../fields.ts'
import { endSession, evictSessions, renewCookie } from '../sessions/lifecycle.ts'
import { listSessionsOfAccount } from '../sessions/queries.ts'
import { showSignedIn } from '../sessions/show.ts'
import { isCurrentMatch, matchPassword } from './match-password.ts'
import { requireGoodPassword } from './password.ts'
import { setPassword } from './queries.ts'
import { forgiveAttempt, lockEmail } from './throttle.ts'
import { verifyOwnPassword } from './verify-credentials.ts'

/**
 * Changes the account's password. Ends its other sessions and renews this session's cookie. Refuses the password of
 * another account with the same address, because a sign-in could not tell them apart; that answer makes each change a
 * guess, so the attempt stays counted for the address.
 */
export const changePassword = endpoint('POST password', {
  needs: 'step_up',
  guests: true,
  body: body({ current: PasswordText, next: PasswordText }),
  async handle(context) {
    const { services, session, body: sent } = context
    requireGoodPassword(sent.next, session.email, 'next')
    const { attempt } = await verifyOwnPassword(context, sent.current, 'current')
    const match = await matchPassword(services, session.email, sent.next)
    const { password_hash } = match
    if (match.account !== undefined && match.account.id !== session.account) throw usedElsewhere()
    const change = { action: 'accounts.update', everywhere: true } as const
    const { cookie, ended } = await commitAsUser(context, change, async ({ tx, now, note }) => {
      lockEmail(tx, services.sealer, session.email, now)
      forgiveAttempt(tx, services.sealer, { ...attempt, email: null })
      if (!(await isCurrentMatch(tx, session.email, match))) throw refuse('resource_conflict', { message: changed })
      tx.write(setPassword, { id: session.account, password_hash, now })
      const others = (await tx.all(listSessionsOfAccount, { account: session.account })).filter(
        ({ id }) => id !== session.id,
      )
      for (const { id } of others) endSession(tx, id, now)
      note({ target: { object: 'user', id: session.user } })
      return { cookie: await renewCookie(tx, services.sealer, session, now), ended: others.map(({ id }) => id) }
    })
    evictSessions(services, ended)
    if (cookie !== null) context.setCookie(cookie)
    return await showSignedIn(context, session)
  },
})

const changed = 'Another request changed an account with this address. Try again.'

function usedElsewhere(): Error {
  return refuse('invalid_request_body', { param: 'next', message: 'This password cannot be used. Choose another.' })
}
