import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { lockSecondFactor } from './own-proof.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'

/** Makes new recovery codes, which replace all earlier ones. Only this answer has them. Refuses an account without a second factor. */
export const renewRecoveryCodes = endpoint('POST second-factor/recovery-codes', {
  needs: 'step_up',
  guests: true,
  changes_second_factor: true,
  body: body({}),
  async handle(context) {
    const { services, session } = context
    const change = { action: 'recovery_codes.create', everywhere: true } as const
    const codes = await commitAsUser(context, change, async ({ tx, now, note }) => {
      await lockSecondFactor(tx, services.sealer, session, now)
      if (!session.secondFactor.exists)
        throw refuse('resource_conflict', { message: 'Recovery codes replace a second factor. Set one up first.' })
      note({ target: { object: 'user', id: session.user } })
      return replaceRecoveryCodes(tx, services.sealer, session.account, now)
    })
    return { recovery_codes: codes }
  },
})
