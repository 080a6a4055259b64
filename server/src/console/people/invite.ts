import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { named } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { MemberRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { memberCreated, memberUpdated } from '../../resources/members/events.ts'
import { Email, showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { findMembership } from '../accounts/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, RoleText } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { insertLink, urlOfLink } from '../links/link.ts'
import { findMemberByEmail } from '../links/queries.ts'
import { requireRole } from '../sessions/session.ts'
import { GuestProjects, requireFitting, setGuestProjects } from './guest-projects.ts'
import { showInvitation } from './invitation.ts'
import { mailInvitation } from './mail-invitation.ts'
import { listOpenInvitations } from './queries.ts'

const Name = Type.Optional(named(Type.String({ minLength: 1, maxLength: limits.person_name_chars_max })))

/**
 * Invites a new member, or an existing one without an account. Only this answer contains the link, and a mail to the person if the
 * server sends mail. Inviting the same person again creates a new link and revokes the previous one.
 */
export const invite = endpoint('POST invitations', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    email: Email,
    first_name: Name,
    last_name: Name,
    role: RoleText,
    projects: Type.Optional(GuestProjects),
  }),
  async handle(context) {
    const { services, session, body: sent } = context
    if (sent.role === 'owner') requireRole(session, 'owner')
    requireFitting(sent.role, sent.role === 'guest' ? (sent.projects ?? []) : sent.projects)
    const { organization } = session
    const { row, token } = await commitAsUser(
      context,
      { action: 'invitations.create' },
      async ({ tx, now, emit, note }) => {
        const open = await tx.all(listOpenInvitations, { organization, now })
        if (open.length >= console_limits.invitations_max) {
          throw refuse('resource_conflict', {
            message: `The organization has the maximum of ${console_limits.invitations_max} open invitations. Revoke one first.`,
          })
        }
        const member = await tx.first(findMemberByEmail, { organization, email: sent.email.toLowerCase() })
        if (
          member !== undefined &&
          (await tx.first(findMembership, { organization, user: member.user })) !== undefined
        ) {
          throw refuse('resource_conflict', {
            param: 'email',
            message: 'This person already has an account in the organization.',
          })
        }
        const invited =
          member === undefined
            ? newMember(organization, sent, now)
            : { ...member, ...invitedStatus(member), updated: now }
        // The projects of an invitation that was revoked, or of an earlier one, do not stay.
        await setGuestProjects(tx, session, invited.user, sent.projects ?? [], now)
        if (member === undefined) {
          tx.insert('members', invited)
          emit(memberCreated, showMember(invited))
        } else if (member.status !== invited.status) {
          tx.write(updateMember, { ...invited })
          emit(memberUpdated, showMember(invited), showMember(member))
        }
        const { user } = invited
        const link = {
          organization,
          kind: 'invitation',
          user,
          email: sent.email,
          role: sent.role,
          createdBy: session.user,
        } as const
        const created = insertLink(tx, services.sealer, link, now)
        note({ target: { object: 'invitation', id: created.row.id } })
        if (services.mailer !== null)
          await mailInvitation(services, tx, session, { row: created.row, token: created.mailedToken }, now)
        return created
      },
    )
    const url = urlOfLink(services.settings.publicUrl, 'invitation', token)
    return { invitation: showInvitation(row), url, mailed: services.mailer !== null }
  },
})

function newMember(
  organization: string,
  sent: { email: string; first_name?: string; last_name?: string; role: string },
  now: number,
): MemberRow {
  return {
    organization,
    id: newId('mbr', now),
    created: now,
    updated: now,
    user: newId('usr', now),
    email: sent.email,
    first_name: sent.first_name ?? null,
    last_name: sent.last_name ?? null,
    profile_picture_url: null,
    role: sent.role,
    status: 'pending',
  }
}

/** An inactive member becomes pending and has to accept again. */
function invitedStatus(member: MemberRow): Pick<MemberRow, 'status'> {
  return { status: member.status === 'inactive' ? 'pending' : member.status }
}
