/**
 * An owner resets the second factor of a person who has lost it. A factor counts in all organizations of its account, so an owner
 * resets only that of an account that signs in to this one alone (docs/decisions/second-factor.md).
 */
import { refuse } from '../../api/declare/errors.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AccountMembershipRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { writeEntry } from '../../notifications/entries.ts'
import { queueLinkMail } from '../../resources/notifications/shared/link-mail.ts'
import { findOrganization } from '../../resources/organizations/organization.ts'
import { findAccount, findMembership } from '../accounts/queries.ts'
import { lockEmail } from '../accounts/throttle.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { findMemberByUser } from '../links/queries.ts'
import { deletePasskeysOfAccount, listPasskeysOfAccount } from '../passkeys/queries.ts'
import { endSession, evictSessions } from '../sessions/lifecycle.ts'
import { listSessionsOfAccount } from '../sessions/queries.ts'
import { type ActiveSession, realmOfSession } from '../sessions/session.ts'
import { requireOwnProof } from './own-proof.ts'
import { deleteSecondFactor, findAuthenticator } from './queries.ts'
import { factorResetLetter } from './reset-letter.ts'

const elsewhere = query((db, p: Placeholder<{ account: string; organization: string }>) =>
  db
    .selectFrom('account_memberships')
    .select('organization')
    .where('account', '=', p('account'))
    .where('organization', '<>', p('organization'))
    .limit(1),
)

/**
 * Removes authenticator app, passkeys and recovery codes of a person's account and ends its sessions. An entry of the inbox tells
 * the person, and a mail, if the server sends mail. The owner has proved a factor in this session, unless the owner has none.
 */
export const resetSecondFactor = endpoint('DELETE people/{user}/second-factor', {
  needs: 'step_up',
  role: 'owner',
  async handle(context) {
    const { services, session, params } = context
    const { user = '' } = params
    requireOwnProof(session)
    if (user === session.user) throw conflict('Change your own second factor under Settings → Security.')
    const change = { action: 'second_factors.reset', everywhere: true } as const
    const ended = await commitAsUser(context, change, async ({ tx, now, note }) => {
      const { membership, email } = await findPerson(tx, session.organization, user)
      lockEmail(tx, services.sealer, email, now)
      await requireResettable(tx, membership)
      const { account } = membership
      const sessions = await tx.all(listSessionsOfAccount, { account })
      tx.write(deletePasskeysOfAccount, { account })
      deleteSecondFactor(tx, account)
      for (const { id } of sessions) endSession(tx, id, now)
      tellInInbox(tx, session, user, now)
      if (services.mailer !== null) await queueMail(context, tx, { user, email }, now)
      note({ target: { object: 'user', id: user } })
      return sessions.map(({ id }) => id)
    })
    evictSessions(services, ended)
    return { object: 'second_factor', user, reset: true, is_mailed: services.mailer !== null } as const
  },
})

async function findPerson(tx: Tx, organization: string, user: string) {
  if ((await tx.first(findMemberByUser, { organization, user })) === undefined)
    throw refuse('resource_not_found', { param: 'user' })
  const membership = await tx.first(findMembership, { organization, user })
  const account = membership && (await tx.first(findAccount, { id: membership.account }))
  if (membership === undefined || account === undefined) throw conflict('This member has no account.')
  return { membership, email: account.email }
}

async function requireResettable(tx: Tx, { account, organization }: AccountMembershipRow): Promise<void> {
  if ((await tx.first(elsewhere, { account, organization })) !== undefined) {
    const message =
      'The account of this person signs in to other organizations, too. The operator of the server resets it: atrium link create.'
    throw conflict(message)
  }
  const app = await tx.first(findAuthenticator, { account })
  if (app === undefined && (await tx.all(listPasskeysOfAccount, { account })).length === 0)
    throw conflict('The account of this person has no second factor.')
}

function conflict(message: string): Error {
  return refuse('resource_conflict', { message })
}

/** The mail is a letter of its own (`reset-letter.ts`), so the entry is not sent. */
function tellInInbox(tx: Tx, session: ActiveSession, user: string, now: number): void {
  const about = { workspace: null, subject_type: 'user', subject: user, comment: null }
  const { realm } = realmOfSession(session, 'live')
  const actor = { type: 'user', id: session.user }
  const source = { realm, cause: `second_factor_reset ${now}`, at: now, event: null, sequence: 0, actor, generation: 0 }
  writeEntry(tx, user, { ...about, kind: 'second_factor_reset', details: {} }, source)
}

async function queueMail(
  {
    services,
    session,
  }: { readonly services: Parameters<typeof queueLinkMail>[0] & Urls; readonly session: ActiveSession },
  tx: Tx,
  to: { readonly user: string; readonly email: string },
  now: number,
): Promise<void> {
  const { organization } = session
  const name = (await tx.first(findOrganization, { organization }))?.name ?? ''
  const letter = factorResetLetter(name, `${services.settings.publicUrl}/sign-in`)
  queueLinkMail(services, tx, { ...to, organization, realm: realmOfSession(session, 'live').realm }, letter, now)
}

interface Urls {
  readonly settings: { readonly publicUrl: string }
}
