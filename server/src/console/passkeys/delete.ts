import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { lockSecondFactor } from '../second-factor/own-proof.ts'
import { forgetWhatIsLeft, requireAnotherFactor } from '../second-factor/remaining.ts'
import { deletePasskeyRow } from './queries.ts'

/** Deletes a passkey of the account. Refuses the last second factor while an organization of the account requires one. */
export const deletePasskey = endpoint('DELETE passkeys/{id}', {
  needs: 'step_up',
  guests: true,
  changes_second_factor: true,
  async handle(context) {
    const { services, session, params } = context
    const { id = '' } = params
    const { account } = session
    return await commitAsUser(context, { action: 'passkeys.delete', everywhere: true }, async ({ tx, now, note }) => {
      await lockSecondFactor(tx, services.sealer, session, now)
      await requireAnotherFactor(tx, account, { passkey: id })
      if ((await tx.run(deletePasskeyRow, { account, id })) === 0) {
        throw refuse('resource_not_found', { param: 'id' })
      }
      await forgetWhatIsLeft(tx, account)
      note({ target: { object: 'passkey', id } })
      return { id, object: 'passkey', deleted: true as const }
    })
  },
})
