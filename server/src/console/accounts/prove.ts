/** Proof by a password: counted, compared in equal time, and forgiven in the transaction that it is for. */
import { refuse } from '../../api/errors.ts'
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import type { AccountRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { addressOf } from '../origins.ts'
import { hashPassword, isOutdated, isPassword } from './password.ts'
import { findByEmail, setHash } from './queries.ts'
import { type Attempt, countAttempt, forgiveAttempt } from './throttle.ts'

interface Asked {
  readonly services: Services
  readonly request: Request
}

export interface Proved {
  readonly account: AccountRow
  /** To be called in the transaction that the proof is for. */
  readonly also: (tx: Tx) => void
}

/**
 * The account of this address and password. Anything wrong is refused in one way, after one time. `param` is the field of
 * a password where the address is not in question.
 */
export async function requireAccount(asked: Asked, email: string, password: string, param?: string): Promise<Proved> {
  const { services, request } = asked
  const { sealer, store } = services
  const address = addressOf(request, services.settings.publicUrl)
  const attempt: Attempt = { address, email: email.trim().toLowerCase() }
  await countAttempt(services, attempt)
  const account = await store.reader('system').first(findByEmail, { email: attempt.email })
  const isRight = await isPassword(sealer, password, account?.password_hash ?? null)
  if (account === undefined || !isRight) {
    services.log.info('a sign-in failed', { account: account?.id ?? null, address })
    throw refuse('sign_in_failed', param === undefined ? {} : { param, message: 'The password is wrong.' })
  }
  const outdated = isOutdated(account.password_hash)
  const password_hash = outdated ? await hashPassword(sealer, password) : null
  const also = (tx: Tx): void => {
    forgiveAttempt(tx, sealer, attempt)
    const { id, password_hash: before } = account
    if (password_hash !== null) tx.write(setHash, { id, password_hash, before })
  }
  return { account, also }
}
