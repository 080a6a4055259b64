import { refuse } from '../../api/errors.ts'
import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { newChallenge } from './challenge.ts'
import { algorithms } from './create.ts'
import { listPasskeysOf } from './queries.ts'
import { domainOf } from './verify.ts'

/** What the browser makes a passkey with: one that finds the account by itself, and asks for the person each time. */
export const createPasskeyOptions = endpoint('POST passkeys/options', {
  needs: 'step_up',
  body: body({}),
  async handle({ services, session, origin, now }) {
    const { account, email } = session
    const rpID = domainOf(origin)
    const known = await services.store.reader('system').all(listPasskeysOf, { account })
    if (known.length >= limits.passkeys_max) {
      throw refuse('resource_conflict', {
        message: `The account has ${limits.passkeys_max} passkeys; remove one first.`,
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
      timeout: limits.passkey_challenge_ms,
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
