import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { deleteUnusedLinks } from '../links/queries.ts'
import { requireRole } from '../sessions/session.ts'
import { listOpenInvitations } from './queries.ts'

/** Revokes an invitation and its link. The member stays pending. */
export const revokeInvitation = endpoint('DELETE invitations/{id}', {
  needs: 'step_up',
  role: 'admin',
  async handle(context) {
    const { session, params } = context
    const { organization } = session
    return await commitAsUser(context, { action: 'invitations.delete' }, async ({ tx, now, note }) => {
      const open = await tx.all(listOpenInvitations, { organization, now })
      const invitation = open.find((row) => row.id === params.id)
      if (invitation === undefined) throw refuse('resource_not_found', { param: 'id' })
      if (invitation.role === 'owner') requireRole(session, 'owner')
      tx.write(deleteUnusedLinks, { organization, user: invitation.user })
      note({ target: { object: 'invitation', id: invitation.id } })
      return { id: invitation.id, object: 'invitation', deleted: true as const }
    })
  },
})
