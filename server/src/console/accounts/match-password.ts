/**
 * Finds the account of an email address by its password. An address may have several accounts: organizations do not share
 * them unless their member proves the password (docs/decisions/accounts.md).
 */
import type { Services } from '../../api/services.ts'
import type { AccountRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { sameBytes } from '../../lib/seal.ts'
import { hashPassword, newParameters, parametersOf } from './password.ts'
import { listByEmail } from './queries.ts'

export interface PasswordMatch {
  /** The account that has this password. */
  readonly account: AccountRow | undefined
  /** The password's hash at the current cost, with the salt of the address. */
  readonly password_hash: string
  /** All accounts of the address, as they were when the password was compared. */
  readonly accounts: readonly AccountRow[]
}

/**
 * Compares a password with the accounts of an address in lower case, or with one of them. Computes one hash, with and
 * without an account; after the cost has changed, one more for the accounts that have not signed in since.
 */
export async function matchPassword(
  { store, sealer }: Pick<Services, 'store' | 'sealer'>,
  email: string,
  password: string,
  only?: string,
): Promise<PasswordMatch> {
  const accounts = await store.reader('system').all(listByEmail, { email })
  const candidates = accounts.filter(({ id }) => only === undefined || id === only)
  const current = newParameters(accounts[0]?.password_hash)
  const password_hash = await hashPassword(sealer, password, current)
  const hashes = [password_hash]
  for (const parameters of new Set(candidates.map((row) => parametersOf(row.password_hash)))) {
    if (parameters !== current) hashes.push(await hashPassword(sealer, password, parameters))
  }
  const account = candidates.find((row) => hashes.some((hash) => isSame(hash, row.password_hash)))
  return { account, password_hash, accounts }
}

/** Whether the accounts of the address are still those that the password was compared with. */
export async function isCurrentMatch(tx: Tx, email: string, { accounts }: PasswordMatch): Promise<boolean> {
  const now = await tx.all(listByEmail, { email })
  return (
    now.length === accounts.length &&
    now.every((row, i) => row.id === accounts[i]?.id && row.password_hash === accounts[i].password_hash)
  )
}

function isSame(one: string, other: string): boolean {
  return sameBytes(Buffer.from(one), Buffer.from(other))
}
