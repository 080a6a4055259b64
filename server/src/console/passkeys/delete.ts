import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { forgetRecoveryCodes, requireAnotherFactor } from '../second-factor/remaining.ts'
import { deletePasskeyRow } from './queries.ts'

/** Deletes a passkey of the account. Refuses the last second factor while an organization of the account requires one. */
export const deletePasskey = endpoint('DELETE passkeys/{id}', {
  needs: 'step_up',
  guests: true,
  async handle(context) {
    const { session, params } = context
    const { id = '' } = params
    const { account } = session
    return await commitAsUser(context, { action: 'passkeys.delete', everywhere: true }, async ({ tx, note }) => {
      await requireAnotherFactor(tx, account, { passkey: id })
      if ((await tx.run(deletePasskeyRow, { account, id })) === 0) {
        throw refuse('resource_not_found', { param: 'id' })
      }
      await forgetRecoveryCodes(tx, account)
      note({ target: { object: 'passkey', id } })
      return { id, object: 'passkey', deleted: true as const }
    })
  },
})
