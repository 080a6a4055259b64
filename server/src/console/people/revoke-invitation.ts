import { refuse } from '../../api/errors.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { removeUnused } from '../links/queries.ts'
import { requireRole } from '../sessions/session.ts'
import { listInvitationsOf } from './queries.ts'

/** Takes an invitation back: its link lets nobody in any more. The member stays pending. */
export const revokeInvitation = endpoint('DELETE invitations/{id}', {
  needs: 'step_up',
  role: 'admin',
  async handle(context) {
    const { session, params } = context
    const { organization } = session
    return await commitBy(context, { action: 'invitations.delete' }, async ({ tx, now, note }) => {
      const open = await tx.all(listInvitationsOf, { organization, now })
      const found = open.find((row) => row.id === params.id)
      if (found === undefined) throw refuse('resource_not_found', { param: 'id' })
      if (found.role === 'owner') requireRole(session, 'owner')
      tx.write(removeUnused, { organization, user: found.user })
      note({ target: { object: 'invitation', id: found.id } })
      return { id: found.id, object: 'invitation', deleted: true as const }
    })
  },
})
