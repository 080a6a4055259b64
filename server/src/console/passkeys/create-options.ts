import { refuse } from '../../api/declare/errors.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { newChallenge } from './challenge.ts'
import { algorithms } from './create.ts'
import { listPasskeysOfAccount } from './queries.ts'
import { requireRpId } from './verify.ts'

/** The WebAuthn creation options: a discoverable credential with user verification. */
export const createPasskeyOptions = endpoint('POST passkeys/options', {
  needs: 'step_up',
  guests: true,
  before_second_factor: ['set_up'],
  changes_second_factor: true,
  body: body({}),
  async handle({ services, session, origin, now }) {
    const { account, email } = session
    const rpID = requireRpId(origin)
    const known = await services.store.reader('system').all(listPasskeysOfAccount, { account })
    if (known.length >= console_limits.passkeys_max) {
      throw refuse('resource_conflict', {
        message: `The account has the maximum of ${console_limits.passkeys_max} passkeys. Delete one first.`,
      })
    }
    const { generateRegistrationOptions } = await import('@simplewebauthn/server')
    const options = await generateRegistrationOptions({
      rpName: 'Atrium',
      rpID,
      userName: email,
      userDisplayName: email,
      userID: new Uint8Array(Buffer.from(account)),
      challenge: newChallenge(services.sealer, { purpose: 'register', account }, now),
      timeout: console_limits.passkey_challenge_ms,
      attestationType: 'none',
      excludeCredentials: known.map((row) => ({
        id: row.credential,
        transports: JSON.parse(row.transports) as string[],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: [...algorithms],
    })
    return { ...options }
  },
})
