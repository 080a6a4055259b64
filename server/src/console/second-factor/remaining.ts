/** What remains of an account's second factor when a part of it is removed. */
import { refuse } from '../../api/declare/errors.ts'
import type { Tx } from '../../db/store.ts'
import { listPasskeysOfAccount } from '../passkeys/queries.ts'
import { forgetProofs } from '../sessions/queries.ts'
import { deleteRecoveryCodes, findAuthenticator, findRequiring } from './queries.ts'

/**
 * Refuses to remove a passkey, or the authenticator app, that is the only second factor of an account in an organization that
 * requires one.
 */
export async function requireAnotherFactor(
  tx: Tx,
  account: string,
  removed: { readonly passkey: string } | 'authenticator',
): Promise<void> {
  const requiring = await tx.first(findRequiring, { account })
  if (requiring === undefined) return
  const passkeys = await tx.all(listPasskeysOfAccount, { account })
  const isLeft =
    removed === 'authenticator'
      ? passkeys.length > 0
      : passkeys.some(({ id }) => id !== removed.passkey) ||
        (await tx.first(findAuthenticator, { account })) !== undefined
  // What the account does not have is refused as missing.
  const isOwn = removed === 'authenticator' || passkeys.some(({ id }) => id === removed.passkey)
  if (isLeft || !isOwn) return
  throw refuse('resource_conflict', {
    message: `${requiring.name} requires a second factor, and this is your only one. Add another one first.`,
  })
}

/**
 * Deletes the recovery codes of an account that has no second factor left, and what its sessions have proved with the last one: it
 * does not count for a factor that is set up later. Call it after the removal.
 */
export async function forgetWhatIsLeft(tx: Tx, account: string): Promise<void> {
  if ((await tx.first(findAuthenticator, { account })) !== undefined) return
  if ((await tx.all(listPasskeysOfAccount, { account })).length > 0) return
  tx.write(deleteRecoveryCodes, { account })
  tx.write(forgetProofs, { account, except: '' })
}
