/** Links that the operator hands out: to the first owner, to who has lost a password, to anybody who should get in. */
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { seconds } from '../../lib/clock.ts'
import { requireRealms } from '../../resources/organizations/queries.ts'
import { findAccount, findByEmail, findMembership } from '../accounts/queries.ts'
import type { Role } from '../shapes.ts'
import { insertLink, urlOfLink } from './link.ts'
import { findMemberByEmail } from './queries.ts'

export interface OperatorsLink {
  readonly id: string
  readonly kind: 'set_up' | 'reset'
  readonly organization: string
  readonly user: string
  readonly email: string
  readonly role: Role
  /** Unix seconds. */
  readonly expires_at: number
  readonly url: string
}

type Linking = Pick<Services, 'store' | 'clock' | 'committed' | 'sealer' | 'settings'>

/**
 * A link for a member, by its address, good for a quarter of an hour. Without an account it sets one up; with one it
 * gives it a new password. Without `role` the person keeps the role, or gets the one that the member's field names.
 */
export async function createLink(
  services: Linking,
  asked: { readonly organization: string; readonly email: string; readonly role?: Role },
): Promise<OperatorsLink> {
  const { organization } = asked
  const realms = await requireRealms(services.store, organization)
  const about = { organization, realms, action: 'links.create', everywhere: true } as const
  return await commitSystemChange(services, about, async ({ tx, now, note }) => {
    const member = await tx.first(findMemberByEmail, { organization, email: asked.email.toLowerCase() })
    if (member === undefined || member.email === null || member.status === 'inactive') {
      const message = `There is no active or pending member with the address ${asked.email}.`
      throw refuse('resource_not_found', { param: 'email', message })
    }
    const { user } = member
    const membership = await tx.first(findMembership, { organization, user })
    // Somebody whose address was changed still signs in with the one of the account.
    const account =
      membership === undefined
        ? await tx.first(findByEmail, { email: member.email.toLowerCase() })
        : await tx.first(findAccount, { id: membership.account })
    const email = account?.email ?? member.email
    const role = asked.role ?? ((membership?.role ?? roleNamed(member.role)) as Role)
    const kind = account === undefined ? 'set_up' : 'reset'
    const { row, token } = insertLink(tx, services.sealer, { organization, kind, user, email, role, by: null }, now)
    note({ target: { object: 'link', id: row.id } })
    const url = urlOfLink(services.settings.publicUrl, kind, token)
    return { id: row.id, kind, organization, user, email: row.email, role, expires_at: seconds(row.expires_at), url }
  })
}

/** The member's own field may say anything; only these words say what somebody may do. */
function roleNamed(text: string | null): Role {
  return text === 'owner' || text === 'admin' ? text : 'member'
}
