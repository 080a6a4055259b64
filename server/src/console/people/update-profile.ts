import { refuse } from '../../api/declare/errors.ts'
import { named } from '../../api/declare/shapes.ts'
import type { MemberRow } from '../../db/schema.ts'
import { memberUpdated } from '../../resources/members/events.ts'
import { Member, showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { findMemberByUser } from '../links/queries.ts'
import { showSignedIn } from '../sessions/show.ts'

/** Sets the signed-in user's name in this organization; an empty text clears it. An unchanged name emits no event. */
export const updateProfile = endpoint('PATCH profile', {
  needs: 'session',
  guests: true,
  body: body({ first_name: named(Member.properties.first_name), last_name: named(Member.properties.last_name) }),
  async handle(context) {
    const { session, body: sent } = context
    const { organization, user } = session
    await commitAsUser(context, { action: 'members.update' }, async ({ tx, now, emit }) => {
      const before = await tx.first(findMemberByUser, { organization, user })
      if (before === undefined) throw refuse('resource_not_found')
      const after: MemberRow = {
        ...before,
        first_name: sent.first_name?.trim() || null,
        last_name: sent.last_name?.trim() || null,
        updated: now,
      }
      if (after.first_name === before.first_name && after.last_name === before.last_name) return
      tx.write(updateMember, { ...after })
      emit(memberUpdated, showMember(after), showMember(before))
    })
    return await showSignedIn(context, session)
  },
})
