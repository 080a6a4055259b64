import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { OneOf } from '../../api/declare/shapes.ts'
import type { AccountMembershipRow, MemberRow } from '../../db/schema.ts'
import { wakeRunsWaitingFor } from '../../resources/automation_approvals/shared/approvals.ts'
import { memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { findMembership, setRole } from '../accounts/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, RoleText } from '../fields.ts'
import { findMemberByUser } from '../links/queries.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { type ActiveSession, requireRole } from '../sessions/session.ts'
import type { Role } from '../shapes.ts'
import { requireRemainingOwner, revokeAccess } from './access.ts'
import { GuestProjects, projectsChosen, requireFitting, setGuestProjects } from './guest-projects.ts'
import { showPerson } from './person.ts'

/**
 * Changes a member's role or status, or the projects of a guest. Only an owner may change an owner, and the organization keeps at least one.
 * Deactivating a member ends their sessions and revokes their links at once.
 */
export const updatePerson = endpoint('PATCH people/{user}', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    role: Type.Optional(RoleText),
    projects: Type.Optional(GuestProjects),
    status: Type.Optional(OneOf('active', 'inactive')),
  }),
  async handle(context) {
    const { services, session, params, body: change } = context
    const { organization } = session
    const user = params.user ?? ''
    const audited = { action: 'members.update', everywhere: true } as const
    const { person, ended } = await commitAsUser(context, audited, async ({ tx, now, emit, note }) => {
      const before = await tx.first(findMemberByUser, { organization, user })
      if (before === undefined) throw refuse('resource_not_found', { param: 'user' })
      const membership = await tx.first(findMembership, { organization, user })
      const { role, status } = authorizeChange(session, before, membership, change)
      await requireRemainingOwner(tx, organization, user, role === 'owner' && status === 'active')
      const isMovedOut = role === 'guest' && membership?.role !== 'guest' && change.projects === undefined
      requireFitting(role, isMovedOut ? [] : change.projects)
      const projects = role === 'guest' ? change.projects : []
      const isOtherProjects = projects !== undefined && (await setGuestProjects(tx, session, user, projects, now))
      const shown = await projectsChosen(tx, session, user)
      if (isOtherProjects) note({ target: { object: 'member', id: before.id }, unannounced: true })
      const after: MemberRow = { ...before, status, role: change.role ?? before.role, updated: now }
      if (after.status === before.status && role === membership?.role && after.role === before.role)
        return { person: showPerson(before, membership, null, shown), ended: [] }
      tx.write(updateMember, { ...after })
      if (role !== null) tx.write(setRole, { organization, user, role, now })
      const endedSessions = status === 'inactive' ? await revokeAccess(tx, organization, user, membership, now) : []
      if (status === 'inactive' || role === 'guest')
        for (const { realm } of session.realms) await wakeRunsWaitingFor(tx, realm, user, now)
      emit(memberUpdated, showMember(after), showMember(before))
      return {
        person: showPerson(after, membership && { ...membership, role: role ?? '' }, null, shown),
        ended: endedSessions,
      }
    })
    // Token scopes and what a guest sees follow from the role, so cached credentials are stale.
    services.credentials.forget()
    services.wakeUps.call('automations')
    evictSessions(services, ended)
    return person
  },
})

interface PersonChange {
  readonly role?: Role
  readonly status?: 'active' | 'inactive'
}

/** The resulting role and status. Refuses a change that the session's role may not make. */
function authorizeChange(
  session: ActiveSession,
  before: MemberRow,
  membership: AccountMembershipRow | undefined,
  change: PersonChange,
): { role: Role | null; status: string } {
  if (membership?.role === 'owner' || change.role === 'owner') requireRole(session, 'owner')
  if (change.role !== undefined && membership === undefined) {
    const message = 'This member has no account, so no role can be set. Invite the member first.'
    throw refuse('resource_conflict', { param: 'role', message })
  }
  if (change.status === 'active' && before.status === 'pending') {
    throw refuse('resource_conflict', {
      param: 'status',
      message: 'A pending member becomes active by accepting the invitation.',
    })
  }
  const role = change.role ?? ((membership?.role ?? null) as Role | null)
  return { role, status: change.status ?? before.status }
}
