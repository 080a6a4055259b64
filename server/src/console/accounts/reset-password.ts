import { refuse } from '../../api/declare/errors.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { AccountLinkRow } from '../../db/schema.ts'
import { passwordSetLetter } from '../../notifications/mail-texts.ts'
import { queueLinkMail } from '../../resources/notifications/shared/link-mail.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { authorOf, type RequestContext } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken, PasswordText } from '../fields.ts'
import { requireLink } from '../links/link.ts'
import { deleteLinksOfAccount, findMemberByUser, markLinkUsed } from '../links/queries.ts'
import { addressOf } from '../origins.ts'
import { deletePasskeysOfAccount } from '../passkeys/queries.ts'
import { findRequiring } from '../second-factor/queries.ts'
import { forgetWhatIsLeft } from '../second-factor/remaining.ts'
import { endSession, evictSessions } from '../sessions/lifecycle.ts'
import { listSessionsOfAccount } from '../sessions/queries.ts'
import { startSession } from '../sessions/start.ts'
import { isCurrentMatch, matchPassword, type PasswordMatch } from './match-password.ts'
import { requireGoodPassword } from './password.ts'
import { findAccount, setPassword } from './queries.ts'
import { countAttempt, forgiveAttempt, lockEmail } from './throttle.ts'

/**
 * Sets the password of the account that a mailed link names, and signs in. All earlier sessions of the account end, in all its
 * organizations, and its passkeys unless one of these requires a second factor. An authenticator app stays; without one the recovery
 * codes end with the passkeys. The password of another account with the same address is refused, because a sign-in could not tell
 * them apart; that answer makes each try a guess, so the attempt stays counted for the address.
 */
export const resetPassword = endpoint('POST password/reset', {
  needs: 'nothing',
  body: body({ token: LinkToken, password: PasswordText }),
  async handle(context) {
    const { services, request, now, body: sent } = context
    const link = await requireLink(services, sent.token, now, (kind) => kind === 'password')
    const account = link.account ?? ''
    requireGoodPassword(sent.password, link.email, 'password')
    const address = addressOf(request, services.settings)
    await countAttempt(services, { address, email: link.email })
    const match = await matchPassword(services, link.email, sent.password)
    if (match.account !== undefined && match.account.id !== account) throw usedElsewhere()
    const ended = await commitReset(context, { link, account, address }, match)
    evictSessions(services, ended)
    const session = ended.includes(context.session?.id ?? '') ? null : context.session
    return await startSession({ ...context, session }, { account, organization: link.organization })
  },
})

/** Returns the ended sessions. A second request with the same link finds it used. */
async function commitReset(
  context: RequestContext,
  { link, account, address }: { readonly link: AccountLinkRow; readonly account: string; readonly address: string },
  match: PasswordMatch,
): Promise<readonly string[]> {
  const { services } = context
  const { organization, user, email } = link
  const realms = await requireRealms(services.store, organization)
  const author = authorOf(context, user)
  const change = { organization, realms, action: 'accounts.reset', everywhere: true, ...author } as const
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const member = await tx.first(findMemberByUser, { organization, user })
    const known = await tx.first(findAccount, { id: account })
    if (member?.status !== 'active' || known?.email_proved_at == null) throw refuse('link_invalid')
    if ((await tx.run(markLinkUsed, { id: link.id, now })) === 0) throw refuse('link_invalid')
    lockEmail(tx, services.sealer, email, now)
    forgiveAttempt(tx, services.sealer, { address, email: null })
    if (!(await isCurrentMatch(tx, email, match))) {
      throw refuse('resource_conflict', { message: 'Another request changed an account with this address. Try again.' })
    }
    tx.write(setPassword, { id: account, password_hash: match.password_hash, now })
    // Where a second factor is required, the mailbox does not replace it.
    const isRequired = (await tx.first(findRequiring, { account })) !== undefined
    if (!isRequired) {
      tx.write(deletePasskeysOfAccount, { account })
      await forgetWhatIsLeft(tx, account)
    }
    tx.write(deleteLinksOfAccount, { account, kind: 'password' })
    const sessions = await tx.all(listSessionsOfAccount, { account })
    for (const { id } of sessions) endSession(tx, id, now)
    const [live] = realms
    if (services.mailer !== null && live !== undefined) {
      const text = passwordSetLetter(`${services.settings.publicUrl}/sign-in`)
      queueLinkMail(services, tx, { realm: live.realm, organization, user, email }, text, now)
    }
    note({ target: { object: 'member', id: member.id } })
    return sessions.map(({ id }) => id)
  })
}

function usedElsewhere(): Error {
  return refuse('invalid_request_body', { param: 'password', message: 'This password cannot be used. Choose another.' })
}
