import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import { OneOf } from '../../api/shapes.ts'
import type { AccountMembershipRow, MemberRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { findMembership, listOwners, setRole } from '../accounts/queries.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, RoleText } from '../fields.ts'
import { findMemberByUser, removeUnused } from '../links/queries.ts'
import { endSession, forgetSessions } from '../sessions/begin.ts'
import { listOfMember } from '../sessions/queries.ts'
import { type OpenSession, requireRole } from '../sessions/session.ts'
import type { Role } from '../shapes.ts'
import { showPerson } from './person.ts'

/**
 * Changes what somebody may do, or shuts somebody out and lets them in again. Owners are changed by owners only, and one
 * stays. Who is shut out has no session here from that moment on.
 */
export const changePerson = endpoint('PATCH people/{user}', {
  needs: 'step_up',
  role: 'admin',
  body: body({ role: Type.Optional(RoleText), status: Type.Optional(OneOf('active', 'inactive')) }),
  async handle(context) {
    const { services, session, params, body: change } = context
    const { organization } = session
    const user = params.user ?? ''
    const about = { action: 'members.update', everywhere: true } as const
    const { person, ended } = await commitBy(context, about, async ({ tx, now, emit }) => {
      const before = await tx.first(findMemberByUser, { organization, user })
      if (before === undefined) throw refuse('resource_not_found', { param: 'user' })
      const membership = await tx.first(findMembership, { organization, user })
      const { role, status } = requireAllowed(session, before, membership, change)
      await requireAnOwner(tx, organization, user, role === 'owner' && status === 'active')
      const after: MemberRow = { ...before, status, role: change.role ?? before.role, updated: now }
      if (after.status === before.status && role === membership?.role && after.role === before.role)
        return { person: showPerson(before, membership, null), ended: [] }
      tx.write(updateMember, { ...after })
      if (role !== null) tx.write(setRole, { organization, user, role, now })
      const shut = status === 'inactive' ? await shutOut(tx, organization, user, membership, now) : []
      emit(memberUpdated, showMember(after), showMember(before))
      return { person: showPerson(after, membership && { ...membership, role: role ?? '' }, null), ended: shut }
    })
    // What a token may do follows from the role.
    services.credentials.forget()
    forgetSessions(services, ended)
    return person
  },
})

interface Change {
  readonly role?: Role
  readonly status?: 'active' | 'inactive'
}

/** What the person will be. Refuses what the session's own role does not reach. */
function requireAllowed(
  session: OpenSession,
  before: MemberRow,
  membership: AccountMembershipRow | undefined,
  change: Change,
): { role: Role | null; status: string } {
  if (membership?.role === 'owner' || change.role === 'owner') requireRole(session, 'owner')
  if (change.role !== undefined && membership === undefined) {
    const message = 'A role is for people with an account: invite this person first.'
    throw refuse('resource_conflict', { param: 'role', message })
  }
  if (change.status === 'active' && before.status === 'pending') {
    throw refuse('resource_conflict', { param: 'status', message: 'Who is invited becomes active by accepting.' })
  }
  const role = change.role ?? ((membership?.role ?? null) as Role | null)
  return { role, status: change.status ?? before.status }
}

async function requireAnOwner(tx: Tx, organization: string, user: string, staysOwner: boolean): Promise<void> {
  if (staysOwner) return
  const owners = await tx.all(listOwners, { organization })
  if (!owners.some((owner) => owner.user === user) || owners.length > 1) return
  throw refuse('resource_conflict', { message: 'An organization keeps one owner: make somebody else an owner first.' })
}

/** Ends the sessions, and takes back the links. */
async function shutOut(
  tx: Tx,
  organization: string,
  user: string,
  membership: AccountMembershipRow | undefined,
  now: number,
): Promise<string[]> {
  tx.write(removeUnused, { organization, user })
  if (membership === undefined) return []
  const standing = await tx.all(listOfMember, { organization, account: membership.account })
  for (const { id } of standing) endSession(tx, id, now)
  return standing.map(({ id }) => id)
}
