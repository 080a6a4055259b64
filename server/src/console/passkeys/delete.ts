import { refuse } from '../../api/errors.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { removePasskey } from './queries.ts'

/** Removes a passkey of the account; it signs nobody in any more. */
export const deletePasskey = endpoint('DELETE passkeys/{id}', {
  needs: 'step_up',
  async handle(context) {
    const { session, params } = context
    const { id = '' } = params
    return await commitBy(context, { action: 'passkeys.delete', everywhere: true }, async ({ tx, note }) => {
      if ((await tx.run(removePasskey, { account: session.account, id })) === 0) {
        throw refuse('resource_not_found', { param: 'id' })
      }
      note({ target: { object: 'passkey', id } })
      return { id, object: 'passkey', deleted: true as const }
    })
  },
})
