/**
 * Asking an authenticator, and believing it: passkeys that the browser finds by itself, with user verification always.
 * The library is loaded when the first is used.
 */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import type { PasskeyRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { passkeysUnavailable } from '../origins.ts'
import type { PasskeyOptions, PasskeyResponse } from '../shapes.ts'
import { answerOnce, type Ceremony, isChallenge, newChallenge } from './challenge.ts'
import { findPasskey, notePasskey } from './queries.ts'

interface Asked {
  readonly services: Services
  readonly origin: string
  readonly now: number
}

/** The domain that passkeys made on this page belong to. Refuses a page that cannot have any. */
export function domainOf(origin: string): string {
  const reason = passkeysUnavailable(origin)
  if (reason !== null) throw refuse('resource_conflict', { message: reason })
  return new URL(origin).hostname
}

/** What the browser is to be asked with; `known` names the passkeys of an account that is known. */
export async function askForPasskey(
  { services, origin, now }: Asked,
  ceremony: Ceremony,
  known: readonly PasskeyRow[] = [],
): Promise<PasskeyOptions> {
  const rpID = domainOf(origin)
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: newChallenge(services.sealer, ceremony, now),
    timeout: limits.passkey_challenge_ms,
    userVerification: 'required',
    allowCredentials: known.map((row) => ({ id: row.credential, transports: JSON.parse(row.transports) as string[] })),
  })
  return { ...options }
}

export interface ProvedByPasskey {
  readonly account: string
  /** To be called in the transaction that the proof is for. */
  readonly also: (tx: Tx, now: number) => Promise<void>
}

/** The account whose passkey has signed. Anything wrong is refused in one way. */
export async function requirePasskey(
  { services, origin, now }: Asked,
  ceremony: Ceremony,
  sent: PasskeyResponse,
): Promise<ProvedByPasskey> {
  const response = sent as unknown as AuthenticationResponseJSON
  const rpID = domainOf(origin)
  const row = await services.store.reader('system').first(findPasskey, { credential: response.id })
  if (row === undefined || !belongs(row, ceremony, response)) throw notAccepted()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let challenge = ''
  const found = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (given) => {
      challenge = given
      return isChallenge(services.sealer, ceremony, given, now)
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
  if (found?.verified !== true) throw notAccepted()
  const counter = found.authenticationInfo.newCounter
  const also = async (tx: Tx, at: number): Promise<void> => {
    await answerOnce(tx, challenge)
    tx.write(notePasskey, { id: row.id, counter, now: at })
  }
  return { account: row.account, also }
}

/** Where the account is not known before, the authenticator must say whose passkey it is (WebAuthn §7.2). */
function belongs(row: PasskeyRow, { account }: Ceremony, { response }: AuthenticationResponseJSON): boolean {
  const handle = Buffer.from(response.userHandle ?? '', 'base64url').toString()
  const named = handle === '' ? account : handle
  return row.account === named && (account === '' || row.account === account)
}

function notAccepted(): Error {
  return refuse('sign_in_failed', { param: 'response', message: 'This passkey was not accepted.' })
}
