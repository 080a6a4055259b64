import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { named } from '../../api/declare/shapes.ts'
import type { PasskeyRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { lockSecondFactor } from '../second-factor/own-proof.ts'
import { updateSecondFactor } from '../sessions/queries.ts'
import { consumeChallenge, isValidChallenge } from './challenge.ts'
import { Registration } from './fields.ts'
import { showPasskey } from './passkey.ts'
import { findPasskey, listPasskeysOfAccount } from './queries.ts'
import { requireRpId } from './verify.ts'

/** EdDSA, ES256, RS256: every authenticator supports one of them. */
export const algorithms = [-8, -7, -257] as const

/** Adds the passkey that the browser has created. It counts as the session's second factor at once. */
export const createPasskey = endpoint('POST passkeys', {
  needs: 'step_up',
  guests: true,
  before_second_factor: ['set_up'],
  changes_second_factor: true,
  body: body({
    name: named(Type.String({ minLength: 1, maxLength: console_limits.passkey_name_chars_max })),
    response: Registration,
  }),
  async handle(context) {
    const { services, session, origin, body: sent, now } = context
    const { account } = session
    // `Registration` checks the fields; the library's type has narrower string unions.
    const response = sent.response as unknown as RegistrationResponseJSON
    const expectedRPID = requireRpId(origin)
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    let challenge = ''
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (given) => {
        challenge = given
        return isValidChallenge(services.sealer, { purpose: 'register', account }, given, now)
      },
      expectedOrigin: origin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    }).catch(() => null)
    if (verified?.verified !== true) throw notAccepted()
    const { credential } = verified.registrationInfo
    return await commitAsUser(
      context,
      { action: 'passkeys.create', everywhere: true },
      async ({ tx, now: at, note }) => {
        await lockSecondFactor(tx, services.sealer, session, at)
        const known = await tx.all(listPasskeysOfAccount, { account })
        const isTaken = (await tx.first(findPasskey, { credential: credential.id })) !== undefined
        if (isTaken || known.length >= console_limits.passkeys_max) throw notAccepted()
        await consumeChallenge(tx, challenge)
        const row: PasskeyRow = {
          id: newId('psk', at),
          account,
          name: sent.name,
          credential: credential.id,
          public_key: Buffer.from(credential.publicKey).toString('base64url'),
          counter: credential.counter,
          transports: JSON.stringify(response.response.transports ?? []),
          created: at,
          last_used_at: null,
        }
        tx.insert('passkeys', row)
        // It was created with user verification, so the session has a second factor from now on.
        tx.write(updateSecondFactor, { id: session.id, now: at, provider: null })
        note({ target: { object: 'passkey', id: row.id } })
        return showPasskey(row)
      },
    )
  },
})

function notAccepted(): Error {
  return refuse('invalid_request_body', { param: 'response', message: 'The passkey could not be verified.' })
}
