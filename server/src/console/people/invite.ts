import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import type { MemberRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { memberCreated, memberUpdated } from '../../resources/members/events.ts'
import { Email, showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { findMembership } from '../accounts/queries.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, RoleText } from '../fields.ts'
import { insertLink, urlOfLink } from '../links/link.ts'
import { findMemberByEmail } from '../links/queries.ts'
import { requireRole } from '../sessions/session.ts'
import { showInvitation } from './invitation.ts'
import { listInvitationsOf } from './queries.ts'

const Name = Type.Optional(Type.String({ minLength: 1, maxLength: limits.person_name_chars_max }))

/**
 * Invites somebody, who becomes a pending member, or a member who has no account yet. The answer is the only one that
 * holds the link; inviting again makes another, and the one before is over.
 */
export const invite = endpoint('POST invitations', {
  needs: 'step_up',
  role: 'admin',
  body: body({ email: Email, first_name: Name, last_name: Name, role: RoleText }),
  async handle(context) {
    const { services, session, body: sent } = context
    if (sent.role === 'owner') requireRole(session, 'owner')
    const { organization } = session
    const { row, token } = await commitBy(
      context,
      { action: 'invitations.create' },
      async ({ tx, now, emit, note }) => {
        const open = await tx.all(listInvitationsOf, { organization, now })
        if (open.length >= limits.invitations_max) {
          throw refuse('resource_conflict', { message: `There are ${limits.invitations_max} open invitations.` })
        }
        const member = await tx.first(findMemberByEmail, { organization, email: sent.email.toLowerCase() })
        if (
          member !== undefined &&
          (await tx.first(findMembership, { organization, user: member.user })) !== undefined
        ) {
          throw refuse('resource_conflict', { param: 'email', message: 'This person has an account here already.' })
        }
        const invited =
          member === undefined ? newMember(organization, sent, now) : { ...member, ...asInvited(member), updated: now }
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
          by: session.user,
        } as const
        const made = insertLink(tx, services.sealer, link, now)
        note({ target: { object: 'invitation', id: made.row.id } })
        return made
      },
    )
    return { invitation: showInvitation(row), url: urlOfLink(services.settings.publicUrl, 'invitation', token) }
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

/** Who was shut out has to accept again. */
function asInvited(member: MemberRow): Pick<MemberRow, 'status'> {
  return { status: member.status === 'inactive' ? 'pending' : member.status }
}
