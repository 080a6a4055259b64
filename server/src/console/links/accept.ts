import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import type { AccountLinkRow, AccountRow, MemberRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { requireRealms } from '../../resources/organizations/queries.ts'
import { hashPassword, requireGoodPassword } from '../accounts/password.ts'
import { requireAccount } from '../accounts/prove.ts'
import { findByEmail, findMembership, setPassword, setRole } from '../accounts/queries.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken, PasswordText } from '../fields.ts'
import { removePasskeys } from '../passkeys/queries.ts'
import { endSession, forgetSessions } from '../sessions/begin.ts'
import { enter } from '../sessions/enter.ts'
import { listOfAccount } from '../sessions/queries.ts'
import { requireLink } from './link.ts'
import { findMemberByUser, useLink } from './queries.ts'

/**
 * Uses a link: sets the account up with this password, or joins with the account that is there, whose password this must
 * be; and signs in. A reset gives the account this password instead, takes its passkeys and ends its sessions.
 */
export const acceptLink = endpoint('POST set-up', {
  needs: 'nothing',
  body: body({ token: LinkToken, password: PasswordText }),
  async handle(context) {
    const { services, now, body: sent } = context
    const link = await requireLink(services, sent.token, now)
    const account = await services.store.reader('system').first(findByEmail, { email: link.email })
    const sets = account === undefined || link.kind === 'reset'
    if (sets) requireGoodPassword(sent.password, link.email, 'password')
    const proved = sets ? null : await requireAccount(context, link.email, sent.password, 'password')
    const password_hash = sets ? await hashPassword(services.sealer, sent.password) : null
    const accepted = await accept(context, link, password_hash)
    forgetSessions(services, accepted.ended)
    const entering = {
      ...context,
      session: accepted.ended.includes(context.session?.id ?? '') ? null : context.session,
    }
    const proof = { account: accepted.account, organization: link.organization }
    return await enter(entering, proved === null ? proof : { ...proof, also: proved.also })
  },
})

const actions: Readonly<Record<string, string>> = {
  set_up: 'accounts.create',
  reset: 'accounts.reset',
  invitation: 'invitations.accept',
}

interface Accepted {
  readonly account: string
  readonly ended: readonly string[]
}

type Asked = Parameters<typeof authorOf>[0] & { readonly services: Services }

/** One transaction: whoever comes second with the same link finds it used. */
async function accept(context: Asked, link: AccountLinkRow, password_hash: string | null): Promise<Accepted> {
  const { services } = context
  const { organization, user, role } = link
  const realms = await requireRealms(services.store, organization)
  const action = actions[link.kind] ?? 'accounts.create'
  const about = { organization, realms, action, everywhere: true, ...authorOf(context, user) } as const
  return await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    const member = await tx.first(findMemberByUser, { organization, user })
    if (member === undefined || member.status === 'inactive') throw refuse('link_invalid')
    if ((await tx.run(useLink, { id: link.id, now })) === 0) throw refuse('link_invalid')
    const known = await tx.first(findByEmail, { email: link.email })
    // Made meanwhile, by another link: its password was not asked for.
    if (known !== undefined && password_hash !== null && link.kind !== 'reset') throw refuse('link_invalid')
    const account = known?.id ?? insertAccount(tx, link.email, password_hash ?? '', now)
    const ended = known !== undefined && password_hash !== null ? await reset(tx, known, password_hash, now) : []
    await join(tx, { organization, account, user, role }, now)
    note({ target: { object: 'member', id: member.id } })
    if (member.status === 'pending') {
      const active: MemberRow = { ...member, status: 'active', updated: now }
      tx.write(updateMember, { ...active })
      emit(memberUpdated, showMember(active), showMember(member))
    }
    return { account, ended }
  })
}

function insertAccount(tx: Tx, email: string, password_hash: string, now: number): string {
  const id = newId('acc', now)
  tx.insert('accounts', { id, email, password_hash, password_changed_at: now, created: now, updated: now })
  return id
}

/** Whoever knew the password before, or put a passkey there, is shut out. Returns the sessions that ended. */
async function reset(tx: Tx, { id }: AccountRow, password_hash: string, now: number): Promise<string[]> {
  tx.write(setPassword, { id, password_hash, now })
  tx.write(removePasskeys, { account: id })
  const standing = await tx.all(listOfAccount, { account: id })
  for (const session of standing) endSession(tx, session.id, now)
  return standing.map((session) => session.id)
}

interface Joining {
  readonly organization: string
  readonly account: string
  readonly user: string
  readonly role: string
}

async function join(tx: Tx, joining: Joining, now: number): Promise<void> {
  const { organization, user, account, role } = joining
  const membership = await tx.first(findMembership, { organization, user })
  if (membership === undefined) tx.insert('account_memberships', { ...joining, created: now, updated: now })
  else if (membership.account !== account) throw refuse('link_invalid')
  else tx.write(setRole, { organization, user, role, now })
}
