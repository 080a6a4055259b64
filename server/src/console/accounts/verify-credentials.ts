/** Password verification: throttled, in constant time. */
import { refuse } from '../../api/declare/errors.ts'
import type { AccountRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { RequestContext } from '../author.ts'
import { addressOf } from '../origins.ts'
import type { ActiveSession } from '../sessions/session.ts'
import { matchPassword } from './match-password.ts'
import { replaceHash } from './queries.ts'
import { type Attempt, countAttempt, forgiveAttempt } from './throttle.ts'

export interface VerifiedAccount {
  readonly account: AccountRow
  readonly attempt: Attempt
  /** Uncounts the attempt and upgrades an outdated hash. Call it in the transaction that the proof authorizes. */
  readonly recordProof: (tx: Tx) => void
}

/** The account with this email address and password. An unknown address and a wrong password give the same error. */
export async function verifyCredentials(
  context: RequestContext,
  email: string,
  password: string,
): Promise<VerifiedAccount> {
  return await verify(context, { email: email.trim().toLowerCase(), password })
}

/** Verifies the password of the session's account, not of another account with its address. `param` is its field. */
export async function verifyOwnPassword(
  context: RequestContext & { readonly session: ActiveSession },
  password: string,
  param: string,
): Promise<VerifiedAccount> {
  const { email, account } = context.session
  return await verify(context, { email, password, account, param })
}

interface Credentials {
  readonly email: string
  readonly password: string
  readonly account?: string
  readonly param?: string
}

async function verify(context: RequestContext, credentials: Credentials): Promise<VerifiedAccount> {
  const { services, request } = context
  const { email, password, param } = credentials
  const address = addressOf(request, services.settings)
  const attempt: Attempt = { address, email }
  await countAttempt(services, attempt)
  const { account, password_hash } = await matchPassword(services, email, password, credentials.account)
  if (account === undefined) {
    services.log.info('a sign-in failed', { address })
    throw refuse('sign_in_failed', param === undefined ? {} : { param, message: 'Wrong password.' })
  }
  const recordProof = (tx: Tx): void => {
    forgiveAttempt(tx, services.sealer, attempt)
    const { id, password_hash: before } = account
    if (password_hash !== before) tx.write(replaceHash, { id, password_hash, before })
  }
  return { account, attempt, recordProof }
}
