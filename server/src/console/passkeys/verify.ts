/**
 * WebAuthn authentication: request options and the verification of the response. User verification is always required.
 * The library is imported at the first use, which keeps it out of the start.
 */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import type { PasskeyRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { console_limits } from '../limits.ts'
import { passkeysUnavailable } from '../origins.ts'
import type { PasskeyOptions, PasskeyResponse } from '../shapes.ts'
import { type Ceremony, consumeChallenge, isValidChallenge, newChallenge } from './challenge.ts'
import { findPasskey, updatePasskeyUse } from './queries.ts'

interface CeremonyContext {
  readonly services: Services
  readonly origin: string
  readonly now: number
}

/** The RP ID of the page's origin. Refuses an origin that cannot use passkeys. */
export function requireRpId(origin: string): string {
  const reason = passkeysUnavailable(origin)
  if (reason !== null) throw refuse('resource_conflict', { message: reason })
  return new URL(origin).hostname
}

/** The options of `navigator.credentials.get`; `known` restricts them to these passkeys. */
export async function passkeyRequestOptions(
  { services, origin, now }: CeremonyContext,
  ceremony: Ceremony,
  known: readonly PasskeyRow[] = [],
): Promise<PasskeyOptions> {
  const rpID = requireRpId(origin)
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: newChallenge(services.sealer, ceremony, now),
    timeout: console_limits.passkey_challenge_ms,
    userVerification: 'required',
    allowCredentials: known.map((row) => ({ id: row.credential, transports: JSON.parse(row.transports) as string[] })),
  })
  return { ...options }
}

export interface VerifiedPasskey {
  readonly account: string
  /** Consumes the challenge and updates the passkey's counter. Call it in the transaction that the proof authorizes. */
  readonly recordProof: (tx: Tx, now: number) => Promise<void>
}

/** Verifies a response and returns the passkey's account. Every failure gives the same error. */
export async function verifyPasskey(
  { services, origin, now }: CeremonyContext,
  ceremony: Ceremony,
  sent: PasskeyResponse,
): Promise<VerifiedPasskey> {
  // `Assertion` has checked the fields; the library's type has narrower string unions.
  const response = sent as unknown as AuthenticationResponseJSON
  const rpID = requireRpId(origin)
  const row = await services.store.reader('system').first(findPasskey, { credential: response.id })
  if (row === undefined || !belongsToAccount(row, ceremony, response)) throw notAccepted()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const verification = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (given) => {
      challenge = given
      return isValidChallenge(services.sealer, ceremony, given, now)
    },
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    credential: {
      id: row.credential,
      publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
      counter: row.counter,
      transports: JSON.parse(row.transports) as string[],
    },
  }).catch(() => null)
  if (verification?.verified !== true) throw notAccepted()
  const counter = verification.authenticationInfo.newCounter
  const recordProof = async (tx: Tx, at: number): Promise<void> => {
    await consumeChallenge(tx, challenge)
    tx.write(updatePasskeyUse, { id: row.id, counter, now: at })
  }
  return { account: row.account, recordProof }
}

/** If the account is not known yet, the response's user handle must name it (WebAuthn §7.2). */
function belongsToAccount(row: PasskeyRow, { account }: Ceremony, { response }: AuthenticationResponseJSON): boolean {
  const handle = Buffer.from(response.userHandle ?? '', 'base64url').toString()
  const named = handle === '' ? account : handle
  return row.account === named && (account === '' || row.account === account)
}

function notAccepted(): Error {
  return refuse('sign_in_failed', { param: 'response', message: 'The passkey could not be verified.' })
}
