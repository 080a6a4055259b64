import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { deletePasskeyRow } from './queries.ts'

/** Deletes a passkey of the account. */
export const deletePasskey = endpoint('DELETE passkeys/{id}', {
  needs: 'step_up',
  guests: true,
  async handle(context) {
    const { session, params } = context
    const { id = '' } = params
    return await commitAsUser(context, { action: 'passkeys.delete', everywhere: true }, async ({ tx, note }) => {
      if ((await tx.run(deletePasskeyRow, { account: session.account, id })) === 0) {
        throw refuse('resource_not_found', { param: 'id' })
      }
      note({ target: { object: 'passkey', id } })
      return { id, object: 'passkey', deleted: true as const }
    })
  },
})
