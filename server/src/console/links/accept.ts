import { refuse } from '../../api/declare/errors.ts'
import type { RealmMode } from '../../api/write/record.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { AccountLinkRow, MemberRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { leaveAccount, revokeAccount, revokeDelegations } from '../accounts/end-membership.ts'
import { isCurrentMatch, matchPassword, type PasswordMatch } from '../accounts/match-password.ts'
import { requireGoodPassword } from '../accounts/password.ts'
import { findAccountInOrganization, findMembership, moveMembership, setEmailProved } from '../accounts/queries.ts'
import { lockEmail } from '../accounts/throttle.ts'
import { type AddressOwner, mailAddressLink } from '../addresses/address-link.ts'
import { authorOf, type RequestContext } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken, PasswordText } from '../fields.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { startSession } from '../sessions/start.ts'
import { type FoundLink, requireValidLink } from './link.ts'
import { findMemberByUser, markLinkUsed } from './queries.ts'

/**
 * Accepts a link and signs in. The link is for one membership: it joins the account of the address that has this password,
 * or a new account with this password. No other account changes, so an organization cannot reach the account that another
 * organization's member has under the same address (docs/decisions/accounts.md).
 */
export const acceptLink = endpoint('POST set-up', {
  needs: 'nothing',
  body: body({ token: LinkToken, password: PasswordText }),
  async handle(context) {
    const { services, now, body: sent } = context
    const link = await requireValidLink(services, sent.token, now)
    requireGoodPassword(sent.password, link.email, 'password')
    const match = await matchPassword(services, link.email, sent.password)
    const accepted = await commitAcceptance(context, link, match)
    evictSessions(services, accepted.ended)
    const session = accepted.ended.includes(context.session?.id ?? '') ? null : context.session
    return await startSession({ ...context, session }, { account: accepted.account, organization: link.organization })
  },
})

const actions: Readonly<Record<string, string>> = {
  set_up: 'accounts.create',
  reset: 'accounts.reset',
  invitation: 'invitations.accept',
}

interface AcceptedLink {
  readonly account: string
  readonly ended: readonly string[]
}

/** Commits the acceptance in one transaction; a second request with the same link finds it used. */
async function commitAcceptance(context: RequestContext, link: FoundLink, match: PasswordMatch): Promise<AcceptedLink> {
  const { services } = context
  const { organization, user, email } = link
  const realms = await requireRealms(services.store, organization)
  const action = actions[link.kind] ?? 'accounts.create'
  const change = { organization, realms, action, everywhere: true, ...authorOf(context, user) } as const
  return await commitSystemChange(services, change, async ({ tx, now, emit, note }) => {
    const member = await tx.first(findMemberByUser, { organization, user })
    if (member === undefined || member.status === 'inactive') throw refuse('link_invalid')
    if ((await tx.run(markLinkUsed, { id: link.id, now })) === 0) throw refuse('link_invalid')
    lockEmail(tx, services.sealer, email, now)
    if (!(await isCurrentMatch(tx, email, match))) {
      throw refuse('resource_conflict', { message: 'Another request changed an account with this address. Try again.' })
    }
    const account = match.account?.id ?? insertAccount(tx, email, match.password_hash, now)
    const ended = await saveMembership(tx, link, account, now)
    note({ target: { object: 'member', id: member.id } })
    const isProved = (match.account?.email_proved_at ?? null) !== null
    if (link.isMailed) tx.write(setEmailProved, { id: account, now })
    else if (services.mailer !== null && !isProved) mailAddressLink(services, tx, ownerOf(link, realms, account), now)
    if (member.status === 'pending') {
      const active: MemberRow = { ...member, status: 'active', updated: now }
      tx.write(updateMember, { ...active })
      emit(memberUpdated, showMember(active), showMember(member))
    }
    return { account, ended }
  })
}

function ownerOf(link: AccountLinkRow, realms: readonly RealmMode[], account: string): AddressOwner {
  const { organization, user, email, role } = link
  return { realm: realms[0]?.realm ?? 0, organization, user, email, role, account }
}

function insertAccount(tx: Tx, email: string, password_hash: string, now: number): string {
  const id = newId('acc', now)
  const times = { password_changed_at: now, created: now, updated: now, email_proved_at: null }
  tx.insert('accounts', { id, email, password_hash, ...times })
  return id
}

/** Gives the membership to the account and revokes every earlier access to it. Returns the ended sessions. */
async function saveMembership(tx: Tx, link: AccountLinkRow, account: string, now: number): Promise<string[]> {
  const { organization, user, role } = link
  const other = await tx.first(findAccountInOrganization, { organization, account })
  if (other !== undefined && other.user !== user) {
    throw refuse('resource_conflict', {
      message: 'This account already belongs to another member of the organization.',
    })
  }
  const before = await tx.first(findMembership, { organization, user })
  if (before === undefined) {
    tx.insert('account_memberships', { organization, account, user, role, created: now, updated: now })
    return []
  }
  await revokeDelegations(tx, organization, user, now)
  tx.write(moveMembership, { organization, user, account, role, now })
  return before.account === account ? await revokeAccount(tx, account, now) : await leaveAccount(tx, before, now)
}
