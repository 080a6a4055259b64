/** Links created on the command line: for the first owner, after a lost password, or for any other member. */
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { seconds } from '../../lib/clock.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { findAccount, findMembership } from '../accounts/queries.ts'
import type { Role } from '../shapes.ts'
import { insertLink, urlOfLink } from './link.ts'
import { findMemberByEmail } from './queries.ts'

export interface OperatorLink {
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

type LinkServices = Pick<Services, 'store' | 'clock' | 'committed' | 'sealer' | 'settings'>

/**
 * Creates a link for a member, by email address; it expires after 15 minutes. It sets up the member's account, or resets
 * the member's password: never that of an account which is not the member's. Without `role` the member keeps the current role, or gets the one in the member's
 * `role` field.
 */
export async function createOperatorLink(
  services: LinkServices,
  input: { readonly organization: string; readonly email: string; readonly role?: Role },
): Promise<OperatorLink> {
  const { organization } = input
  const realms = await requireRealms(services.store, organization)
  const change = { organization, realms, action: 'links.create', everywhere: true } as const
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const member = await tx.first(findMemberByEmail, { organization, email: input.email.toLowerCase() })
    if (member === undefined || member.email === null || member.status === 'inactive') {
      const message = `No active or pending member has the email address "${input.email}".`
      throw refuse('resource_not_found', { param: 'email', message })
    }
    const { user } = member
    const membership = await tx.first(findMembership, { organization, user })
    // After a change of the member's address, the account keeps the address it signs in with.
    const account = membership && (await tx.first(findAccount, { id: membership.account }))
    const email = account?.email ?? member.email
    const role = input.role ?? ((membership?.role ?? roleFromTitle(member.role)) as Role)
    const kind = account === undefined ? 'set_up' : 'reset'
    const { row, token } = insertLink(
      tx,
      services.sealer,
      { organization, kind, user, email, role, createdBy: null },
      now,
    )
    note({ target: { object: 'link', id: row.id } })
    const url = urlOfLink(services.settings.publicUrl, kind, token)
    return { id: row.id, kind, organization, user, email: row.email, role, expires_at: seconds(row.expires_at), url }
  })
}

/** The member's `role` is free text; only `owner` and `admin` name a role of the console. */
function roleFromTitle(text: string | null): Role {
  return text === 'owner' || text === 'admin' ? text : 'member'
}
