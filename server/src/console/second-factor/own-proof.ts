/** A session changes the second factors of its account only after it has proved one of them here, or if the account has none. */
import { refuse } from '../../api/declare/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { lockEmail } from '../accounts/throttle.ts'
import { listPasskeysOfAccount } from '../passkeys/queries.ts'
import { findProof } from '../sessions/queries.ts'
import { type ActiveSession, canChangeFactors } from '../sessions/session.ts'
import { findAuthenticator } from './queries.ts'

/** Refuses a session that has not proved a factor of its account to this server, unless the account has none. */
export function requireOwnProof({ secondFactor }: ActiveSession): void {
  if (!canChangeFactors(secondFactor)) throw refuseChange()
}

/**
 * The same in the transaction of the change, which locks the account: another session may have set up the first factor since the
 * request was admitted.
 */
export async function lockSecondFactor(tx: Tx, sealer: Sealer, session: ActiveSession, now: number): Promise<void> {
  const { id, account, email } = session
  lockEmail(tx, sealer, email, now)
  const proof = await tx.first(findProof, { id })
  if (proof !== undefined && proof.second_factor_at !== null && proof.second_factor_provider === null) return
  const app = await tx.first(findAuthenticator, { account })
  if (app !== undefined || (await tx.all(listPasskeysOfAccount, { account })).length > 0) throw refuseChange()
}

function refuseChange(): Error {
  return refuse('second_factor_required', { message: 'Your account has a second factor. Prove it first.' })
}
